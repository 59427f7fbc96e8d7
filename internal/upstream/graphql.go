package upstream

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Persisted is a GraphQL query that the host knows by its hash.
type Persisted struct {
	URL       string
	Operation string
	Hash      string // sha256, in hex
	Variables any    // marshalled to a JSON object
	Header    http.Header
}

// Reply is the answer of a GraphQL host. Without Errors it has Data; with Errors, Data may
// be partial, null or nil, which the caller has to judge.
type Reply struct {
	Data   json.RawMessage
	Errors []GraphError
}

// GraphError is one error of a GraphQL answer, with the texts of its host.
type GraphError struct {
	Message string
	Code    string // errorCode, else the serviceResponse's numericErrorCode, else extensions.code; numbers as text
	Reason  string // error.reason, else the serviceResponse's errorCode
	Path    []any  // strings and float64s
}

// String returns a short form of the error.
func (e GraphError) String() string {
	text := shortened(e.Message)
	if e.Code != "" {
		text += " (" + e.Code + ")"
	}
	return text
}

// Ask sends a persisted query and returns data, errors, or both. Errors with a status 4xx
// are a reply too, except with 403 or 429. If the host does not know the hash, or refuses
// the request as forged, Ask returns an [*Error] of kind Outdated.
func (c *Client) Ask(ctx context.Context, q Persisted) (Reply, error) {
	r, err := q.request()
	if err != nil {
		return Reply{}, fmt.Errorf("ask %s: %w", q.Operation, err)
	}
	h, asked, err := c.prepare(r)
	if err != nil {
		return Reply{}, err
	}
	var reply Reply
	asked.judge = func(a Answer) (failed *Error) {
		reply, failed = asked.judgeReply(q.Operation, a, c.cfg.Now())
		return failed
	}
	if _, err := c.do(ctx, h, asked); err != nil {
		return Reply{}, err
	}
	return reply, nil
}

// request returns the query as a GET. The two headers show the host that the request does
// not come from an HTML form.
func (q Persisted) request() (Request, error) {
	u, err := url.Parse(q.URL)
	if err != nil {
		return Request{}, errors.New("the URL is invalid")
	}
	variables, err := json.Marshal(q.Variables)
	if err != nil {
		return Request{}, fmt.Errorf("variables: %w", err)
	}
	hash, _ := json.Marshal(q.Hash) // a string
	query := u.Query()
	query.Set("operationName", q.Operation)
	query.Set("variables", string(variables))
	query.Set("extensions", `{"persistedQuery":{"version":1,"sha256Hash":`+string(hash)+`}}`)
	u.RawQuery = query.Encode()

	header := make(http.Header)
	maps.Copy(header, q.Header)
	header.Set("Content-Type", "application/json")
	header.Set("X-Apollo-Operation-Name", q.Operation)
	accept := []string{"application/json", "application/graphql-response+json"}
	return Request{URL: u.String(), Header: header, Accept: accept}, nil
}

// judgeReply reads a GraphQL answer. Its errors take precedence over its HTTP status,
// which differs between hosts.
func (r *request) judgeReply(operation string, a Answer, now time.Time) (Reply, *Error) {
	if t := mediaType(a); t != "" && !isJSON(t) {
		return Reply{}, r.judgeAnswer(a, now)
	}
	reply, broken := parseReply(a.Body)
	for _, e := range reply.Errors {
		words := strings.ToLower(e.Message + " " + e.Code)
		if !reply.hasData() && slices.ContainsFunc(outdatedSigns[:], func(sign string) bool { return strings.Contains(words, sign) }) {
			return Reply{}, &Error{Kind: Outdated, Status: a.Status, Err: fmt.Errorf("operation %s: %s", operation, e)}
		}
	}
	// For other 4xx, the errors in the body decide.
	if len(reply.Errors) > 0 && a.Status >= 400 && a.Status < 500 &&
		a.Status != http.StatusForbidden && a.Status != http.StatusTooManyRequests {
		return reply, nil
	}
	if failed := r.judgeStatus(a, now); failed != nil {
		return Reply{}, failed
	}
	if broken != nil {
		return Reply{}, &Error{Kind: Broken, Status: a.Status, Err: fmt.Errorf("operation %s: %w", operation, broken)}
	}
	return reply, nil
}

// outdatedSigns are words of a host that refuses the query itself.
var outdatedSigns = [...]string{
	"persistedquerynot", "persisted_query_not", "persisted query not",
	"whitelisted", "not in the whitelist", "cross-site request forgery", "csrf",
}

func (r Reply) hasData() bool { return len(r.Data) > 0 && string(r.Data) != "null" }

// maxErrors is larger than the number of errors in any useful answer, which has a few for
// each entry of a list.
const maxErrors = 10_000

// parseReply parses {"data": …, "errors": […]}. It refuses an incomplete or empty envelope,
// a repeated name, and anything after the envelope.
func parseReply(body []byte) (Reply, error) {
	var members map[string]jsontext.Value
	if err := jsonv2.Unmarshal(body, &members, jsontext.AllowInvalidUTF8(true)); err != nil {
		return Reply{}, fmt.Errorf("the answer is not a JSON object: %w", err)
	}
	reply := Reply{Data: json.RawMessage(members["data"])}
	if raw, ok := members["errors"]; ok && string(raw) != "null" {
		var all []json.RawMessage
		if err := json.Unmarshal(raw, &all); err != nil {
			return Reply{}, errors.New("errors is not a list")
		}
		if len(all) > maxErrors {
			return Reply{}, fmt.Errorf("the answer has %d errors", len(all))
		}
		for _, one := range all {
			reply.Errors = append(reply.Errors, parseError(one))
		}
	}
	if !reply.hasData() && len(reply.Errors) == 0 {
		return Reply{}, errors.New("the answer has neither data nor errors")
	}
	return reply, nil
}

// parseError reads the fields that it knows: an error in an unknown format still counts.
func parseError(raw json.RawMessage) GraphError {
	e := GraphError{Message: shortened(string(raw))}
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return e
	}
	if message, ok := members["message"]; ok {
		e.Message = text(message)
	}
	if json.Unmarshal(members["path"], &e.Path) != nil {
		e.Path = nil
	}
	service := json.RawMessage(text(members["serviceResponse"])) // JSON in a text
	e.Code = cmp.Or(text(members["errorCode"]), text(member(service, "numericErrorCode")), text(member(members["extensions"], "code")))
	e.Reason = cmp.Or(text(member(members["error"], "reason")), text(member(service, "errorCode")))
	return e
}

func member(raw json.RawMessage, name string) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return nil
	}
	return members[name]
}

// text returns the text of a string, "" for null, and any other value as JSON.
func text(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || string(raw) == "null" {
		return ""
	}
	if json.Unmarshal(raw, &s) != nil {
		return string(raw)
	}
	return s
}

// shortened cuts a text for one log line.
func shortened(s string) string {
	const most = 200
	if len(s) > most {
		s = s[:most] + "…"
	}
	return strings.ToValidUTF8(s, "")
}

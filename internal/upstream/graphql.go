package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
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
	hash, err := json.Marshal(q.Hash)
	if err != nil {
		return Request{}, fmt.Errorf("hash: %w", err)
	}
	query := u.Query()
	query.Set("operationName", q.Operation)
	query.Set("variables", string(variables))
	query.Set("extensions", `{"persistedQuery":{"version":1,"sha256Hash":`+string(hash)+`}}`)
	u.RawQuery = query.Encode()

	header := q.Header.Clone()
	if header == nil {
		header = make(http.Header)
	}
	header.Set("Content-Type", "application/json")
	header.Set("X-Apollo-Operation-Name", q.Operation)
	accept := []string{"application/json", "application/graphql-response+json"}
	return Request{URL: u.String(), Header: header, Accept: accept}, nil
}

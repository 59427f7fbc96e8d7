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

// Reply is what a GraphQL host answered. Without Errors, Data is there; with
// them it may be a part, null or nil: the caller has to judge that.
type Reply struct {
	Data   json.RawMessage
	Errors []GraphError
}

// GraphError is one error of a GraphQL answer, in the words of its host.
type GraphError struct {
	Message string
	Code    string // errorCode, else the serviceResponse's numericErrorCode, else extensions.code; numbers as text
	Reason  string // error.reason, else the serviceResponse's errorCode
	Path    []any  // strings and float64s
}

// String is the error in short.
func (e GraphError) String() string {
	text := shortened(e.Message)
	if e.Code != "" {
		text += " (" + e.Code + ")"
	}
	return text
}

// Ask sends a persisted query and returns data, errors, or both. Errors that come
// with 4xx are a reply, too, unless with 403 or 429. A host that does not know
// the hash, or refuses the request as forged, makes it an [*Error] of kind
// Outdated.
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
	if _, err := c.ask(ctx, h, asked); err != nil {
		return Reply{}, err
	}
	return reply, nil
}

// request writes the query as a GET. The two headers are what hosts ask of
// one that is no browser's form.
func (q Persisted) request() (Request, error) {
	u, err := url.Parse(q.URL)
	if err != nil {
		return Request{}, errors.New("its URL is none")
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

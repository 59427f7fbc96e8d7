package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

	"gamedex/internal/catalog"
)

// Client sends requests to the public API. It may be used from several goroutines.
type Client struct {
	address func() (string, error)
	key     string
	client  http.Client
}

// maxBody bounds an answer of the API, in bytes.
const maxBody = 16 << 20

// NewClient returns a client with an API key. It calls address before each request, for the URL of
// the service without the path of the API.
func NewClient(address func() (string, error), key string) *Client {
	return &Client{address: address, key: strings.TrimSpace(key), client: http.Client{
		Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, MaxConnsPerHost: 8, IdleConnTimeout: time.Minute},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // the key is for this address
	}}
}

// apiAnswer is an answer of the API with a list.
type apiAnswer[T any] struct {
	Filters struct{ Regions []string }
	Data    struct {
		Items, Results []T // one of them, by the path
		Total          int
	}
	Meta struct {
		Relaxed     bool
		Corrected   *struct{}
		Unavailable []string
	}
}

// incomplete says which stores may lack games.
func (a *apiAnswer[T]) incomplete() (note string) {
	for _, p := range a.Meta.Unavailable {
		if _, err := catalog.ParsePlatform(p); err == nil {
			note += "Games of " + p + " can be missing: the service has not read it completely. "
		}
	}
	return note
}

// parameters are those of a GET; empty ones are not sent.
type parameters map[string]string

// get asks for texts in English.
func (api *Client) get(ctx context.Context, path string, p parameters, answer any) error {
	query := url.Values{"lang": {"en"}}
	for name, value := range p {
		if value != "" {
			query.Set(name, value)
		}
	}
	return api.ask(ctx, path+"?"+query.Encode(), nil, answer)
}

// ask sends a request for a path below /api/v1, a POST if it has a body, and decodes the answer.
func (api *Client) ask(ctx context.Context, path string, body, answer any) error {
	address, err := api.address()
	if err != nil {
		return err
	}
	method, sent := http.MethodGet, []byte(nil)
	if body != nil {
		method, sent = http.MethodPost, encode(body)
	}
	r, err := http.NewRequestWithContext(ctx, method, address+"/api/v1"+path, bytes.NewReader(sent))
	if err != nil {
		return fmt.Errorf("the address of the service cannot be used: %w", err)
	}
	if strings.ContainsFunc(api.key, unicode.IsControl) {
		return errors.New("the API key has a line break or another control character: " + newKey)
	}
	if api.key != "" {
		r.Header.Set("Authorization", "Bearer "+api.key)
	}
	r.Header.Set("Content-Type", "application/json")
	res, err := api.client.Do(r)
	if err != nil {
		return unreachable(address, err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, maxBody+1))
	switch {
	case err != nil:
		return unreachable(address, err)
	case len(text) > maxBody:
		return errors.New("the answer of the service is too large: ask for fewer games or regions")
	case res.StatusCode != http.StatusOK:
		return refused(address, res, text)
	}
	if err := json.Unmarshal(text, answer); err != nil {
		return notGamedex(address, res.StatusCode)
	}
	return nil
}

// unreachable says why there was no answer, and what to do.
func unreachable(address string, err error) error {
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		return fmt.Errorf("%s did not answer in time: try again, or ask for fewer games or regions", address)
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err // without the path of the request
	}
	return fmt.Errorf("no service answers at %s (%s): the user must start it with gamedex serve, or give its address with gamedex mcp --api; then try again", address, cleaned(err.Error(), 200))
}

func notGamedex(address string, status int) error {
	return fmt.Errorf("%s answers with status %d and not like gamedex: the user must correct the address in gamedex mcp --api", address, status)
}

// argumentNames replaces names of API parameters in errors by those of the tools' arguments.
var argumentNames = strings.NewReplacer("parameter q ", "parameter query ", "parameter platforms ", "parameter devices ")

// newKey is the way out if the key is wrong.
const newKey = "the user must put a key into GAMEDEX_KEY in the env of this MCP server and start it again (gamedex key create --name assistant --permissions read:catalog prints one)"

// refused says what an error of the service means for an assistant.
func refused(address string, res *http.Response, text []byte) error {
	var e struct {
		Error struct {
			Code, Message string
			Details       struct{ ResetAt string }
		}
	}
	if err := json.Unmarshal(text, &e); err != nil || e.Error.Code == "" {
		return notGamedex(address, res.StatusCode)
	}
	says, wait := fmt.Sprintf("%s: %q", cleaned(e.Error.Code, 40), cleaned(e.Error.Message, 300)), cleaned(cmp.Or(res.Header.Get("Retry-After"), "30"), 40)+" s"
	if at := e.Error.Details.ResetAt; at != "" {
		wait += ", at " + cleaned(at, 40)
	}
	switch res.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden:
		return fmt.Errorf("the API key is refused (%s): %s", says, newKey)
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return fmt.Errorf("the service cannot answer now (%s): try again in %s", says, wait)
	}
	return fmt.Errorf("the service refuses the request (%s)", argumentNames.Replace(says))
}

// readTimes returns when prices were last read, by platform and country: "pcstore UA". It is empty
// if the service does not say.
func (api *Client) readTimes(ctx context.Context) map[string]string {
	var a struct {
		Data struct {
			Platforms []struct {
				ID        string
				Freshness map[string]struct{ MedianSeenAt, LastSweepAt string }
			}
		}
	}
	_ = api.ask(ctx, "/catalog/platforms", nil, &a) // the next request has the same fault
	read := map[string]string{}
	for _, p := range a.Data.Platforms {
		for region, f := range p.Freshness {
			read[p.ID+" "+strings.ToUpper(region)] = seconds(cmp.Or(f.LastSweepAt, f.MedianSeenAt))
		}
	}
	return read
}

// earliest returns when the oldest prices were read; "" if that is not known.
func earliest(read map[string]string, keys []string) (at string) {
	for _, p := range keys {
		if when := read[p]; when != "" && (at == "" || when < at) {
			at = when
		}
	}
	return at
}

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
	"sync"
	"time"
	"unicode"
)

// Service asks the public API. It may be used from several goroutines.
type Service struct {
	address func() (string, error)
	key     string
	client  http.Client

	mu    sync.Mutex
	read  map[string]string // see readTimes
	asked time.Time         // when read was asked for
}

// The bounds of requests.
const (
	requestTime = 30 * time.Second
	maxBody     = 16 << 20
	readFor     = time.Minute // so long the times of reading are kept
)

// NewService returns a service with an API key. Its address is asked for before each request: a
// URL without the path of the API.
func NewService(address func() (string, error), key string) *Service {
	return &Service{address: address, key: strings.TrimSpace(key), client: http.Client{
		Timeout:       requestTime,
		Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, MaxConnsPerHost: 8, IdleConnTimeout: time.Minute},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // the key is for this address
	}}
}

// ask sends a request for a path below /api/v1, a POST if it has a body, and decodes the answer.
func (s *Service) ask(ctx context.Context, path string, body, answer any) error {
	address, err := s.address()
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
	if strings.ContainsFunc(s.key, unicode.IsControl) {
		return errBadKey // no header can have it
	}
	if s.key != "" {
		r.Header.Set("Authorization", "Bearer "+s.key)
	}
	r.Header.Set("Content-Type", "application/json")
	res, err := s.client.Do(r)
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

// argumentNames gives the parameters that an error of the service names the names that they have in the tools.
var argumentNames = strings.NewReplacer("parameter q ", "parameter query ", "parameter platforms ", "parameter devices ")

var errBadKey = errors.New("the API key is missing or unknown: the user must put a key into GAMEDEX_KEY in the env of this MCP server and start it again (gamedex key create --name assistant prints a key)")

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
	says, wait := fmt.Sprintf("%s: %q", cleaned(e.Error.Code, 40), cleaned(e.Error.Message, 300)), cleaned(res.Header.Get("Retry-After"), 40)
	switch {
	case res.StatusCode == http.StatusUnauthorized:
		return errBadKey
	case res.StatusCode == http.StatusForbidden:
		return fmt.Errorf("the API key in GAMEDEX_KEY is refused (%s): the user needs another one, with the permission read:catalog", says)
	case res.StatusCode == http.StatusTooManyRequests:
		return fmt.Errorf("the limit of the API key is used up: try again in %s s, at %s. A call for 10 games counts like one for a single game", wait, cleaned(e.Error.Details.ResetAt, 40))
	case wait != "":
		return fmt.Errorf("the service cannot answer now (%s): try again in %s s", says, wait)
	}
	return fmt.Errorf("the service refuses the arguments (%s)", argumentNames.Replace(says))
}

// readTimes returns when prices were last read, by platform and country: "pcstore UA". It asks about once a minute;
// if there is no answer, what is known stays.
func (s *Service) readTimes(ctx context.Context) map[string]string {
	s.mu.Lock()
	known, fresh := s.read, time.Since(s.asked) < readFor
	s.mu.Unlock()
	if fresh {
		return known
	}
	var a struct {
		Data struct {
			Platforms []struct {
				ID        string
				Freshness map[string]struct{ MedianSeenAt, LastSweepAt string }
			}
		}
	}
	if s.ask(ctx, "/catalog/platforms", nil, &a) != nil {
		return known
	}
	read := map[string]string{}
	for _, p := range a.Data.Platforms {
		for region, f := range p.Freshness {
			read[p.ID+" "+strings.ToUpper(region)] = seconds(cmp.Or(f.LastSweepAt, f.MedianSeenAt))
		}
	}
	s.mu.Lock()
	s.read, s.asked = read, time.Now()
	s.mu.Unlock()
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

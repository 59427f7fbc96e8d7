package rates

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"gamedex/internal/money"
	"gamedex/internal/upstream"
)

// Provider fetches the current exchange rates.
type Provider interface {
	// Name returns a short, constant name, which is stored as the source of its tables.
	Name() string
	// Fetch sends one request. The table has the provider's time and the base USD.
	Fetch(ctx context.Context) (money.Rates, error)
}

// Getter fetches a document; [upstream.Client] is one.
type Getter interface {
	Get(ctx context.Context, r upstream.Request) (upstream.Answer, error)
}

// maxBytes bounds a provider's answer; a table of all currencies has 10 KiB.
const maxBytes = 1 << 20

// HostOf returns the host that a client must allow for a provider's address. It does
// not require robots.txt, which is for programs that follow links: the addresses are
// single documents that their owners publish for programs or that the operator chose.
func HostOf(address string) (upstream.Host, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return upstream.Host{}, fmt.Errorf("exchange rates: the address %q is not https://HOST/PATH", withoutQuery(address))
	}
	return upstream.Host{Name: u.Host, RequestsPerSecond: 1, Concurrent: 1, MaxBytes: maxBytes, IgnoreRobots: true}, nil
}

func withoutQuery(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "(unreadable)"
	}
	u.RawQuery, u.Fragment, u.User = "", "", nil
	return u.String()
}

func getDocument(ctx context.Context, client Getter, address string, accept ...string) ([]byte, error) {
	a, err := client.Get(ctx, upstream.Request{URL: address, Accept: accept, MaxBytes: maxBytes})
	if err != nil {
		return nil, err
	}
	return a.Body, nil
}

// Table is a document in the format of [money.ParseRates], at an address or in a file.
// It uses a table with the base USD unchanged and converts others to dollars.
type Table struct {
	Client Getter // for URL
	URL    string // of the document; "": use File
	File   string
}

// Name implements [Provider].
func (t Table) Name() string {
	if t.URL != "" {
		return "url"
	}
	return "file"
}

// Fetch implements [Provider].
func (t Table) Fetch(ctx context.Context) (money.Rates, error) {
	var body []byte
	var err error
	place := t.File
	if t.URL != "" {
		place = withoutQuery(t.URL)
		body, err = getDocument(ctx, t.Client, t.URL, "application/json", "text/plain", "application/octet-stream")
	} else {
		body, err = readFile(t.File)
	}
	var rates, rounded money.Rates
	if err == nil {
		rates, err = money.ParseRates(body)
	}
	if err == nil {
		rounded, err = table(perUSD(rates), time.UnixMilli(rates.UpdatedAt()), nil)
	}
	if err != nil {
		return money.Rates{}, fmt.Errorf("exchange rates of %s: %w", place, err)
	}
	if rates.Base() == money.USD && rounded.Skipped() == "" {
		return rates, nil
	}
	return rounded.Skipping(rates.Skipped()), nil
}

// readFile reads a regular file. A pipe or a device could block.
func readFile(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	body, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err == nil && len(body) > maxBytes {
		err = fmt.Errorf("more than %d bytes", maxBytes)
	}
	return body, err
}

// OpenExchangeRatesURL is the address of the provider's latest table.
const OpenExchangeRatesURL = "https://openexchangerates.org/api/latest.json"

// Secret is a text that always prints as "…".
type Secret string

// String hides the text.
func (Secret) String() string { return "…" }

// GoString hides the text.
func (Secret) GoString() string { return "…" }

// MarshalText hides the text.
func (Secret) MarshalText() ([]byte, error) { return []byte("…"), nil }

// OpenExchangeRates fetches from openexchangerates.org with the operator's key. The
// terms of the provider forbid reselling its rates.
type OpenExchangeRates struct {
	Client Getter
	URL    string // "": OpenExchangeRatesURL
	Key    Secret
}

// Name implements [Provider].
func (OpenExchangeRates) Name() string { return "openexchangerates" }

// Fetch implements [Provider]. It sends the key in a header, so that logged addresses do
// not contain it.
func (o OpenExchangeRates) Fetch(ctx context.Context) (rates money.Rates, err error) {
	defer func() {
		if err != nil {
			rates, err = money.Rates{}, fmt.Errorf("%s: %w", o.Name(), err)
		}
	}()
	if o.Key == "" || strings.ContainsFunc(string(o.Key), func(r rune) bool { return r <= ' ' || r > '~' }) {
		return money.Rates{}, errors.New("the key is empty or has invalid characters: set the key of your account")
	}
	a, err := o.Client.Get(ctx, upstream.Request{
		URL:    cmp.Or(o.URL, OpenExchangeRatesURL),
		Header: http.Header{"Authorization": {"Token " + string(o.Key)}},
		Accept: []string{"application/json"}, MaxBytes: maxBytes,
	})
	if e, ok := errors.AsType[*upstream.Error](err); ok {
		switch e.Status {
		case http.StatusUnauthorized:
			err = fmt.Errorf("the key is not accepted, check it: %w", err)
		case http.StatusForbidden:
			err = fmt.Errorf("the key's plan does not allow this: %w", err)
		case http.StatusTooManyRequests:
			err = fmt.Errorf("the requests of the key's plan are used up: %w", err)
		}
	}
	if err != nil {
		return money.Rates{}, err
	}
	return readLatest(a.Body)
}

// readLatest reads the provider's table, or its error.
func readLatest(body []byte) (money.Rates, error) {
	var doc struct {
		Error   bool                       `json:"error"`
		Message string                     `json:"message"`
		At      int64                      `json:"timestamp"` // seconds
		Base    string                     `json:"base"`
		Rates   map[string]json.RawMessage `json:"rates"`
	}
	if err := json.Unmarshal(body, &doc); err != nil {
		return money.Rates{}, fmt.Errorf("not the table of rates: %w", err)
	}
	if doc.Error {
		// Repeat only a word such as "not_allowed": other texts might contain the key.
		if len(doc.Message) > 40 || strings.Trim(doc.Message, "abcdefghijklmnopqrstuvwxyz_") != "" {
			return money.Rates{}, errors.New("the provider answered with an error")
		}
		return money.Rates{}, fmt.Errorf("the provider answered %s", doc.Message)
	}
	if doc.At <= 0 {
		return money.Rates{}, fmt.Errorf("timestamp: %d is not the time of the rates", doc.At)
	}
	base, err := money.ParseCurrency(doc.Base)
	if err != nil {
		return money.Rates{}, fmt.Errorf("base: %w", err)
	}
	s := newSheet(base, time.Unix(doc.At, 0))
	for _, code := range slices.Sorted(maps.Keys(doc.Rates)) {
		if err := s.addQuote(code, string(doc.Rates[code])); err != nil {
			return money.Rates{}, err
		}
	}
	perUSD, err := s.perUSD()
	if err != nil {
		return money.Rates{}, err
	}
	return table(perUSD, s.at, s.skipped)
}

package rates

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"gamedex/internal/money"
	"gamedex/internal/upstream"
)

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
func (o OpenExchangeRates) Fetch(ctx context.Context) (money.Rates, error) {
	rates, err := o.fetch(ctx)
	if err != nil {
		return money.Rates{}, fmt.Errorf("%s: %w", o.Name(), err)
	}
	return rates, nil
}

func (o OpenExchangeRates) fetch(ctx context.Context) (money.Rates, error) {
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
		Error   bool                   `json:"error"`
		Message string                 `json:"message"`
		At      int64                  `json:"timestamp"` // seconds
		Base    string                 `json:"base"`
		Rates   map[string]json.Number `json:"rates"`
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
		if err := s.addQuote(code, doc.Rates[code].String()); err != nil {
			return money.Rates{}, err
		}
	}
	perUSD, err := s.perUSD()
	if err != nil {
		return money.Rates{}, err
	}
	return table(perUSD, s.at)
}

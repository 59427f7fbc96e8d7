package rates

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"gamedex/internal/money"
)

// Table is a document in the shape that [money.ParseRates] reads, at an address
// or in a file. A table with base USD is taken as it is written; another is
// worked out per dollar.
type Table struct {
	Client Getter // for URL
	URL    string // of the document; "": it is in File
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
	rates, err := t.fetch(ctx)
	if err != nil {
		return money.Rates{}, fmt.Errorf("exchange rates of %s: %w", t.place(), err)
	}
	return rates, nil
}

func (t Table) place() string {
	if t.URL != "" {
		return withoutQuery(t.URL)
	}
	return t.File
}

func (t Table) fetch(ctx context.Context) (money.Rates, error) {
	body, err := t.readDocument(ctx)
	if err != nil {
		return money.Rates{}, err
	}
	rates, err := money.ParseRates(body)
	if err != nil {
		return money.Rates{}, err
	}
	rounded, err := table(perUSD(rates), time.UnixMilli(rates.UpdatedAt()))
	if err != nil || rates.Base() != money.USD {
		return rounded, err
	}
	return rates, nil
}

// readDocument returns the document. A file that is not a regular one (a pipe, a device) could hang.
func (t Table) readDocument(ctx context.Context) ([]byte, error) {
	if t.URL != "" {
		return getDocument(ctx, t.Client, t.URL, "application/json", "text/plain", "application/octet-stream")
	}
	info, err := os.Stat(t.File)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	f, err := os.Open(t.File)
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

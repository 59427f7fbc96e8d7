package rates

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
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
	rates, err := t.fetch(ctx)
	if err != nil {
		place := t.File
		if t.URL != "" {
			place = withoutQuery(t.URL)
		}
		return money.Rates{}, fmt.Errorf("exchange rates of %s: %w", place, err)
	}
	return rates, nil
}

func (t Table) fetch(ctx context.Context) (money.Rates, error) {
	var body []byte
	var err error
	if t.URL != "" {
		body, err = getDocument(ctx, t.Client, t.URL, "application/json", "text/plain", "application/octet-stream")
	} else {
		body, err = readFile(t.File)
	}
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

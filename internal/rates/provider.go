package rates

import (
	"context"
	"fmt"
	"net/url"

	"gamedex/internal/money"
	"gamedex/internal/upstream"
)

// Provider fetches the current exchange rates.
type Provider interface {
	// Name is stored as the source of what it gave: short, the same each time.
	Name() string
	// Fetch asks once. The table's time is the provider's own; its base is USD.
	Fetch(ctx context.Context) (money.Rates, error)
}

// Getter fetches a document; [upstream.Client] is one.
type Getter interface {
	Get(ctx context.Context, r upstream.Request) (upstream.Answer, error)
}

// maxBytes bounds a provider's answer; a table of all currencies has 10 KiB.
const maxBytes = 1 << 20

// HostOf is what a client has to allow for the provider's address. The
// addresses of this package are single documents that their owners publish for
// programs, or that the operator named, so robots.txt, which addresses those who
// follows links, is not asked.
func HostOf(address string) (upstream.Host, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return upstream.Host{}, fmt.Errorf("exchange rates: the address %q is not https://HOST/PATH", withoutQuery(address))
	}
	return upstream.Host{Name: u.Host, RequestsPerSecond: 1, Concurrent: 1, MaxBytes: maxBytes, IgnoreRobots: true}, nil
}

// withoutQuery is an address as it may be shown: a query may hold a key.
func withoutQuery(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "(unreadable)"
	}
	u.RawQuery, u.Fragment, u.User = "", "", nil
	return u.String()
}

// getDocument fetches one document as one of the given media types.
func getDocument(ctx context.Context, client Getter, address string, accept ...string) ([]byte, error) {
	a, err := client.Get(ctx, upstream.Request{URL: address, Accept: accept, MaxBytes: maxBytes})
	if err != nil {
		return nil, err
	}
	return a.Body, nil
}

package oidctest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// The paths of the provider's endpoints.
const (
	DescriptionPath = "/.well-known/openid-configuration"
	AuthorizePath   = "/authorize"
	TokenPath       = "/token"
	KeysPath        = "/keys"
	UserInfoPath    = "/userinfo"
)

// Client is a client of the provider.
type Client struct {
	ID       string
	Secret   string
	ReturnTo string // where browsers are sent back to
}

// Person is who has signed in to the provider.
type Person struct {
	Subject  string
	Email    string // "" is not sent
	Verified bool
}

// Behaviour is what the provider does. The zero value with a Person follows the
// standard.
type Behaviour struct {
	Person  Person
	Refusal string // the error with which browsers are sent back, instead of a code

	Signature Signature
	Rotated   bool                             // it signs with a newer key, and shows only this one
	Claims    func(claims map[string]any)      // changes an ID token before it is signed
	Describe  func(description map[string]any) // changes the discovery document

	AddressApart bool // only user info has the email address
	SecretInBody bool // the secret is taken from the form alone

	Instead map[string]http.HandlerFunc // by path: what answers in the place of an endpoint
}

// Provider is a running provider. It is safe for concurrent use.
type Provider struct {
	t       testing.TB
	server  *httptest.Server
	clients []Client
	key     *ecdsa.PrivateKey // whose public half it shows
	newer   *ecdsa.PrivateKey // which replaces key when it is Rotated
	other   *ecdsa.PrivateKey // unknown to clients

	mu       sync.Mutex
	does     Behaviour
	codes    map[string]grant
	access   map[string]Person // by access token
	requests map[string]int    // by path
	traces   map[string]string // the last trace context, by path
}

// grant is what a code is exchanged for.
type grant struct {
	client    Client
	person    Person
	nonce     string
	challenge string
}

// Start starts a provider on a loopback address until the test ends.
func Start(t testing.TB, does Behaviour, clients ...Client) *Provider {
	t.Helper()
	p := &Provider{
		t: t, clients: clients, key: newKey(t), newer: newKey(t), other: newKey(t), does: does,
		codes: map[string]grant{}, access: map[string]Person{}, requests: map[string]int{}, traces: map[string]string{},
	}
	p.server = httptest.NewServer(p)
	t.Cleanup(p.server.Close)
	return p
}

func newKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// Issuer returns the provider's address. It has a host name, so that browsers treat
// it as another site than one at 127.0.0.1.
func (p *Provider) Issuer() string { return strings.Replace(p.server.URL, "127.0.0.1", "localhost", 1) }

// Now changes what the provider does.
func (p *Provider) Now(does Behaviour) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.does = does
}

// Requests returns how often a path was requested.
func (p *Provider) Requests(path string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.requests[path]
}

// Traceparent returns the trace context with which a path was requested last.
func (p *Provider) Traceparent(path string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.traces[path]
}

// ServeHTTP implements http.Handler.
func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.requests[r.URL.Path]++
	p.traces[r.URL.Path] = r.Header.Get("Traceparent")
	does := p.does
	p.mu.Unlock()
	if instead := does.Instead[r.URL.Path]; instead != nil {
		instead(w, r)
		return
	}
	switch r.Method + " " + r.URL.Path {
	case "GET " + DescriptionPath:
		p.describe(w, does)
	case "GET " + AuthorizePath:
		p.authorize(w, r, does)
	case "POST " + TokenPath:
		p.token(w, r, does)
	case "GET " + KeysPath:
		p.keys(w, does)
	case "GET " + UserInfoPath:
		p.userInfo(w, r)
	default:
		http.NotFound(w, r)
	}
}

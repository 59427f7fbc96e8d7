package openid

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
	"golang.org/x/sync/singleflight"

	"gamedex/internal/serve"
)

// SignIn is the secrets of one sign-in.
type SignIn struct {
	State    string `json:"state"`    // comes back with the code
	Nonce    string `json:"nonce"`    // comes back signed
	Verifier string `json:"verifier"` // proves that the code is exchanged by the party that began the sign-in
}

// Identity is who signed in, as the provider signed it.
type Identity struct {
	Subject       string // the provider's permanent name for the person
	Email         string // "": not sent
	EmailVerified bool
}

// Provider is an OpenID Connect provider. Discovery happens when somebody first
// signs in with it, so that the service starts without it; after that only its
// keys are read again. A Provider is safe for concurrent use. Create it with
// [New].
type Provider struct {
	settings   Settings
	returnURL  string
	now        func() time.Time
	client     *http.Client
	discovery  singleflight.Group
	discovered atomic.Pointer[discovered]
}

// discovered is a provider after discovery. It is safe for concurrent use.
type discovered struct {
	provider *oidc.Provider
	verifier *oidc.IDTokenVerifier
	oauth    *oauth2.Config
}

// New returns a provider before discovery. It sends browsers back to returnURL.
func New(settings Settings, returnURL string, now func() time.Time) *Provider {
	p := &Provider{settings: settings, returnURL: returnURL, now: now, client: settings.Client}
	if p.client == nil {
		p.client = newClient()
	}
	return p
}

// AuthURL returns the address at which a browser signs in with the provider.
func (p *Provider) AuthURL(ctx context.Context, s SignIn) (string, error) {
	d, err := p.discover(ctx)
	if err != nil {
		return "", err
	}
	return d.oauth.AuthCodeURL(s.State, oidc.Nonce(s.Nonce), oauth2.S256ChallengeOption(s.Verifier)), nil
}

// maxSubject is the length that the standard allows a subject.
const maxSubject = 255

// Identify exchanges the code that a browser brought back from the AuthURL of
// the same sign-in for the identity of the person.
func (p *Provider) Identify(ctx context.Context, code string, s SignIn) (Identity, error) {
	d, err := p.discover(ctx)
	if err != nil {
		return Identity{}, err
	}
	ctx, cancel := context.WithTimeout(oidc.ClientContext(ctx, p.client), timeout)
	defer cancel()
	token, err := d.oauth.Exchange(ctx, code, oauth2.VerifierOption(s.Verifier))
	if err != nil {
		return Identity{}, fmt.Errorf("exchange the code: %w", err)
	}
	raw, _ := token.Extra("id_token").(string)
	signed, err := d.verifier.Verify(ctx, raw)
	if err != nil {
		return Identity{}, fmt.Errorf("verify the ID token: %w", err)
	}
	var claims struct {
		Party    string `json:"azp"`
		Email    string `json:"email"`
		Verified any    `json:"email_verified"` // some providers write "true"
	}
	if err := signed.Claims(&claims); err != nil {
		return Identity{}, fmt.Errorf("read the ID token: %w", err)
	}
	switch {
	case subtle.ConstantTimeCompare([]byte(signed.Nonce), []byte(s.Nonce)) == 0:
		return Identity{}, errors.New("the ID token belongs to another sign-in")
	case claims.Party != d.oauth.ClientID && (claims.Party != "" || len(signed.Audience) > 1):
		return Identity{}, errors.New("the ID token was made for another client")
	case signed.Subject == "" || len(signed.Subject) > maxSubject:
		return Identity{}, errors.New("the ID token has no subject")
	}
	identity := Identity{signed.Subject, claims.Email, claims.Verified == true || claims.Verified == "true"}
	if identity.Email != "" || d.provider.UserInfoEndpoint() == "" {
		return identity, nil
	}
	more, err := d.provider.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err != nil || more.Subject != identity.Subject {
		// The error may quote what the provider knows about the person.
		return Identity{}, errors.New("the user info endpoint does not answer, or answers for another person")
	}
	identity.Email, identity.EmailVerified = more.Email, more.EmailVerified
	return identity, nil
}

// discover returns the discovered provider. Concurrent calls share one discovery;
// it continues if the request of one of them ends.
func (p *Provider) discover(ctx context.Context) (*discovered, error) {
	if d := p.discovered.Load(); d != nil {
		return d, nil
	}
	result := p.discovery.DoChan("", func() (any, error) {
		if d := p.discovered.Load(); d != nil {
			return d, nil
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
		defer cancel()
		d, err := p.readConfiguration(ctx)
		if err != nil {
			return nil, discoveryError{err}
		}
		p.discovered.Store(d)
		return d, nil
	})
	select {
	case <-ctx.Done():
		return nil, discoveryError{ctx.Err()}
	case r := <-result:
		d, _ := r.Val.(*discovered)
		return d, r.Err
	}
}

func (p *Provider) readConfiguration(ctx context.Context) (*discovered, error) {
	provider, err := oidc.NewProvider(oidc.ClientContext(ctx, p.client), p.settings.Issuer)
	if err != nil {
		return nil, fmt.Errorf("discover the provider: %w", err)
	}
	var more struct {
		Keys    string   `json:"jwks_uri"`
		Methods []string `json:"token_endpoint_auth_methods_supported"`
	}
	if err := provider.Claims(&more); err != nil {
		return nil, fmt.Errorf("read the discovery document: %w", err)
	}
	endpoint := provider.Endpoint()
	needed := []string{endpoint.AuthURL, endpoint.TokenURL, more.Keys}
	if userInfo := provider.UserInfoEndpoint(); userInfo != "" {
		needed = append(needed, userInfo)
	}
	for _, address := range needed {
		// Only a provider on this machine may send the client to a port of it.
		if !confidential(address) || strings.HasPrefix(p.settings.Issuer, "https:") && !strings.HasPrefix(address, "https:") {
			return nil, fmt.Errorf("the provider names the endpoint %q: must be an https address", address)
		}
	}
	// Trying both ways to send the client secret is not possible: a code may work
	// only once.
	endpoint.AuthStyle = oauth2.AuthStyleInHeader
	if slices.Contains(more.Methods, "client_secret_post") && !slices.Contains(more.Methods, "client_secret_basic") {
		endpoint.AuthStyle = oauth2.AuthStyleInParams
	}
	return &discovered{
		provider: provider,
		verifier: provider.Verifier(&oidc.Config{ClientID: p.settings.ClientID, Now: p.now}),
		oauth: &oauth2.Config{
			ClientID: p.settings.ClientID, ClientSecret: p.settings.ClientSecret, Endpoint: endpoint,
			RedirectURL: p.returnURL, Scopes: []string{oidc.ScopeOpenID, oidc.ScopeEmail},
		},
	}, nil
}

type discoveryError struct{ error }

// Unwrap returns the reason.
func (e discoveryError) Unwrap() error { return e.error }

// Unavailable reports whether an error of this package means that the provider
// did not answer, rather than refused.
func Unavailable(err error) bool {
	if errors.As(err, new(discoveryError)) {
		return true
	}
	if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
		return refused.Response.StatusCode >= http.StatusInternalServerError
	}
	_, ok := errors.AsType[net.Error](err)
	return ok
}

// LogText returns what a log may say about an error of this package. It leaves out
// what the provider answered to a code, which may be a token, and shortens the
// rest.
func LogText(err error) string {
	if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
		return fmt.Sprintf("exchange the code: the provider answered %d, error %.40q", refused.Response.StatusCode, refused.ErrorCode)
	}
	return fmt.Sprintf("%.300s", err)
}

const (
	timeout = 10 * time.Second // of one request, and of all of a sign-in
	maxBody = 1 << 20
)

// newClient returns a client that bounds how long a provider takes and how much
// it answers, and that follows no redirect: the request may carry the secret.
func newClient() *http.Client {
	return &http.Client{
		Timeout:       timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: boundedTransport{&http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			DialContext:            (&net.Dialer{Timeout: timeout}).DialContext,
			ForceAttemptHTTP2:      true,
			TLSHandshakeTimeout:    timeout,
			IdleConnTimeout:        30 * time.Second,
			MaxResponseHeaderBytes: 64 << 10,
		}},
	}
}

// boundedTransport makes reading fail after maxBody. It passes on the trace context of
// the visitor's request.
type boundedTransport struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (t boundedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if trace := serve.Traceparent(r.Context()); trace != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Traceparent", trace)
	}
	resp, err := t.next.RoundTrip(r)
	if err == nil {
		resp.Body = http.MaxBytesReader(nil, resp.Body, maxBody)
	}
	return resp, err
}

// Settings name a provider of OpenID Connect that people may sign in with.
//
// The provider is trusted to know who owns an email address: an address that it
// calls verified opens the account with this address, even an administrator's,
// and accepts an invitation to it. Do not use a provider that lets people claim
// any address.
type Settings struct {
	Name         string // shown on the button
	Issuer       string // exactly as the provider writes it
	ClientID     string
	ClientSecret string
	// Client sends the requests. The default waits 10 seconds, reads a megabyte
	// and follows no redirects.
	Client *http.Client
}

// Check returns what is wrong with the settings, with the names of their flags. It
// does not contact the provider.
func (s Settings) Check() error {
	u, err := url.Parse(s.Issuer)
	if err != nil || !confidential(s.Issuer) || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return fmt.Errorf("oidc-issuer %q: must be an https address as the provider writes it, such as "+
			"https://accounts.example.org, or an http one on this machine", s.Issuer)
	}
	for _, setting := range []struct{ flag, value string }{
		{"oidc-client-id", s.ClientID}, {"oidc-client-secret", s.ClientSecret}, {"oidc-name", s.Name},
	} {
		if setting.value == "" {
			return fmt.Errorf("%s: must be set, because --oidc-issuer is", setting.flag)
		}
	}
	return nil
}

// confidential reports whether nobody on the way can read what is sent to an
// address: it is HTTPS, or on this machine.
func confidential(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return false
	}
	ip, _ := netip.ParseAddr(u.Hostname())
	loopback := u.Hostname() == "localhost" || ip.IsLoopback()
	return u.Scheme == "https" || u.Scheme == "http" && loopback
}

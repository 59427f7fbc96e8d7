package dashboard

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"sync/atomic"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
	"golang.org/x/sync/singleflight"
)

// OIDC is a provider of OpenID Connect that people may sign in with.
//
// Whoever names a provider trusts it to know whose an email address is: an
// address that it calls verified opens the account that has this address here,
// an administrator's too, and takes the invitation that waits for it. A
// provider where anybody may call himself anything must not be named.
type OIDC struct {
	Name         string // shown on the button
	Issuer       string // exactly as the provider writes it
	ClientID     string
	ClientSecret string
	// Client asks the provider. Nil is one that waits 10 seconds, reads a
	// megabyte and follows no redirects.
	Client *http.Client
}

// Check says what is wrong with the settings, by the names of their flags. It
// does not ask the provider.
func (o OIDC) Check() error {
	u, err := url.Parse(o.Issuer)
	if err != nil || !confidential(o.Issuer) || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return fmt.Errorf("oidc-issuer %q: must be an https address as the provider writes it, such as "+
			"https://accounts.example.org, or an http one on this machine", o.Issuer)
	}
	for _, setting := range []struct{ flag, value string }{
		{"oidc-client-id", o.ClientID}, {"oidc-client-secret", o.ClientSecret}, {"oidc-name", o.Name},
	} {
		if setting.value == "" {
			return fmt.Errorf("%s: must not be empty when oidc-issuer is set", setting.flag)
		}
	}
	return nil
}

// confidential says whether nobody on the way can read what is sent to an
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

const (
	providerTimeout = 10 * time.Second // for one question, and for all of a sign-in
	maxProviderBody = 1 << 20
)

// newProviderClient makes a client that a provider can neither keep waiting,
// nor fill with words, nor send elsewhere with the secret.
func newProviderClient() *http.Client {
	return &http.Client{
		Timeout:       providerTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: boundedTransport{&http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			DialContext:            (&net.Dialer{Timeout: providerTimeout}).DialContext,
			ForceAttemptHTTP2:      true,
			TLSHandshakeTimeout:    providerTimeout,
			IdleConnTimeout:        30 * time.Second,
			MaxResponseHeaderBytes: 64 << 10,
		}},
	}
}

// boundedTransport makes reading fail after maxProviderBody.
type boundedTransport struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (t boundedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := t.next.RoundTrip(r)
	if err == nil {
		resp.Body = http.MaxBytesReader(nil, resp.Body, maxProviderBody)
	}
	return resp, err
}

// provider is the provider as it is known so far. It is asked about itself
// when somebody first wants to sign in with it, so that the service starts
// without it; then never again, but for new keys.
type provider struct {
	asking singleflight.Group
	known  atomic.Pointer[knownProvider]
	client *http.Client // for who is asking
}

// knownProvider is a provider that has described itself. Safe for concurrent
// use.
type knownProvider struct {
	described *oidc.Provider
	verifier  *oidc.IDTokenVerifier
	oauth     *oauth2.Config
	client    *http.Client
}

// knownProvider asks the provider to describe itself, unless it has. Visitors
// who come meanwhile share the answer, and one who leaves takes it from nobody.
func (d *Dashboard) knownProvider(ctx context.Context) (*knownProvider, error) {
	p := &d.provider
	if known := p.known.Load(); known != nil {
		return known, nil
	}
	answer := p.asking.DoChan("", func() (any, error) {
		if known := p.known.Load(); known != nil {
			return known, nil
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), providerTimeout)
		defer cancel()
		known, err := d.askProvider(ctx)
		if err == nil {
			p.known.Store(known)
		}
		return known, err
	})
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case a := <-answer:
		known, _ := a.Val.(*knownProvider)
		return known, a.Err
	}
}

// askProvider reads the provider's description of itself. One at a time.
func (d *Dashboard) askProvider(ctx context.Context) (*knownProvider, error) {
	settings, p := d.cfg.OIDC, &d.provider
	if p.client == nil {
		p.client = settings.Client
	}
	if p.client == nil {
		p.client = newProviderClient()
	}
	described, err := oidc.NewProvider(oidc.ClientContext(ctx, p.client), settings.Issuer)
	if err != nil {
		return nil, fmt.Errorf("ask the provider about itself: %w", err)
	}
	endpoint, err := endpointOf(described)
	if err != nil {
		return nil, err
	}
	return &knownProvider{
		described: described,
		verifier:  described.Verifier(&oidc.Config{ClientID: settings.ClientID, Now: d.cfg.Now}),
		oauth: &oauth2.Config{
			ClientID: settings.ClientID, ClientSecret: settings.ClientSecret, Endpoint: endpoint,
			RedirectURL: d.cfg.PublicURL + providerReturn, Scopes: []string{oidc.ScopeOpenID, oidc.ScopeEmail},
		},
		client: p.client,
	}, nil
}

// endpointOf is where a provider is asked, and how the secret is given: never
// tried both ways, because the code may be good for one try.
func endpointOf(p *oidc.Provider) (oauth2.Endpoint, error) {
	var more struct {
		Keys    string   `json:"jwks_uri"`
		Methods []string `json:"token_endpoint_auth_methods_supported"`
	}
	if err := p.Claims(&more); err != nil {
		return oauth2.Endpoint{}, fmt.Errorf("read what the provider says of itself: %w", err)
	}
	e := p.Endpoint()
	needed := []string{e.AuthURL, e.TokenURL, more.Keys}
	if userInfo := p.UserInfoEndpoint(); userInfo != "" {
		needed = append(needed, userInfo)
	}
	for _, address := range needed {
		if !confidential(address) {
			return oauth2.Endpoint{}, fmt.Errorf("the provider names the endpoint %q: must be an https address", address)
		}
	}
	e.AuthStyle = oauth2.AuthStyleInHeader
	if slices.Contains(more.Methods, "client_secret_post") && !slices.Contains(more.Methods, "client_secret_basic") {
		e.AuthStyle = oauth2.AuthStyleInParams
	}
	return e, nil
}

// address is where a browser goes to sign in with the provider.
func (p *knownProvider) address(b begunSignIn) string {
	return p.oauth.AuthCodeURL(b.State, oidc.Nonce(b.Nonce), oauth2.S256ChallengeOption(b.Verifier))
}

// vouched is whom a provider means.
type vouched struct {
	subject  string
	email    string // "": it does not tell
	verified bool   // it knows that the address is his
}

// maxSubject is what the standard allows a subject.
const maxSubject = 255

// identify gives the code back to the provider, and believes the answer if the
// provider signed it for this sign-in.
func (p *knownProvider) identify(ctx context.Context, code string, b begunSignIn) (vouched, error) {
	ctx, cancel := context.WithTimeout(oidc.ClientContext(ctx, p.client), providerTimeout)
	defer cancel()
	token, err := p.oauth.Exchange(ctx, code, oauth2.VerifierOption(b.Verifier))
	if err != nil {
		return vouched{}, fmt.Errorf("exchange the code: %w", err)
	}
	raw, _ := token.Extra("id_token").(string)
	signed, err := p.verifier.Verify(ctx, raw)
	if err != nil {
		return vouched{}, fmt.Errorf("verify the ID token: %w", err)
	}
	who, err := p.read(signed, b)
	if err != nil || who.email != "" || p.described.UserInfoEndpoint() == "" {
		return who, err
	}
	more, err := p.described.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err != nil || more.Subject != who.subject {
		// The error may quote what the provider knows of the person.
		return vouched{}, errors.New("the user info endpoint does not answer, or tells of somebody else")
	}
	who.email, who.verified = more.Email, more.EmailVerified
	return who, nil
}

// read takes from an ID token of this provider whom it means, if it belongs to
// this sign-in and to no other client.
func (p *knownProvider) read(signed *oidc.IDToken, b begunSignIn) (vouched, error) {
	var claims struct {
		Party    string `json:"azp"`
		Email    string `json:"email"`
		Verified any    `json:"email_verified"` // some providers write "true"
	}
	if err := signed.Claims(&claims); err != nil {
		return vouched{}, fmt.Errorf("read the ID token: %w", err)
	}
	switch {
	case !sameSecret(signed.Nonce, b.Nonce):
		return vouched{}, errors.New("the ID token belongs to another sign-in")
	case claims.Party != "" && claims.Party != p.oauth.ClientID:
		return vouched{}, errors.New("the ID token was made for another client")
	case signed.Subject == "" || len(signed.Subject) > maxSubject:
		return vouched{}, errors.New("the ID token does not tell whom it means")
	}
	verified := claims.Verified == true || claims.Verified == "true"
	return vouched{signed.Subject, claims.Email, verified}, nil
}

// providerSilent says whether the provider did not answer, rather than refused.
func providerSilent(err error) bool {
	var refused *oauth2.RetrieveError
	if errors.As(err, &refused) {
		return refused.Response.StatusCode >= http.StatusInternalServerError
	}
	var network net.Error
	return errors.As(err, &network)
}

// failureReason is what the log says of a provider's failure: never what it answered
// to a code, which may be a token, and of all else not much.
func failureReason(err error) string {
	var refused *oauth2.RetrieveError
	if errors.As(err, &refused) {
		return fmt.Sprintf("exchange the code: the provider answered %d, error %.40q", refused.Response.StatusCode, refused.ErrorCode)
	}
	return fmt.Sprintf("%.300s", err)
}

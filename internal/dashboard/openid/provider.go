package openid

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
	"golang.org/x/sync/singleflight"
)

// SignIn is what makes a sign-in this one: three secrets that nobody can guess.
type SignIn struct {
	State    string `json:"state"`    // comes back with the code
	Nonce    string `json:"nonce"`    // comes back signed
	Verifier string `json:"verifier"` // only who began can give back the code
}

// Person is whom a provider means.
type Person struct {
	Subject  string // what the provider calls him, for good
	Email    string // "": it does not tell
	Verified bool   // it knows that the address is his
}

// Provider is a provider as it is known so far. It is asked about itself when
// somebody first wants to sign in with it, so that the service starts without
// it; then never again, but for new keys. Safe for concurrent use. Create it
// with [New].
type Provider struct {
	settings  Settings
	returnURL string
	now       func() time.Time
	client    *http.Client
	asking    singleflight.Group
	known     atomic.Pointer[described]
}

// described is a provider that has described itself. Safe for concurrent use.
type described struct {
	provider *oidc.Provider
	verifier *oidc.IDTokenVerifier
	oauth    *oauth2.Config
	client   *http.Client
}

// New returns a provider of which nothing is known yet. It sends browsers back
// to returnURL.
func New(settings Settings, returnURL string, now func() time.Time) *Provider {
	p := &Provider{settings: settings, returnURL: returnURL, now: now, client: settings.Client}
	if p.client == nil {
		p.client = newClient()
	}
	return p
}

// Address is where a browser goes to sign in with the provider.
func (p *Provider) Address(ctx context.Context, s SignIn) (string, error) {
	k, err := p.describe(ctx)
	if err != nil {
		return "", err
	}
	return k.oauth.AuthCodeURL(s.State, oidc.Nonce(s.Nonce), oauth2.S256ChallengeOption(s.Verifier)), nil
}

// Identify asks the provider whom it means by the code that a browser brought
// back from the address of the same sign-in.
func (p *Provider) Identify(ctx context.Context, code string, s SignIn) (Person, error) {
	k, err := p.describe(ctx)
	if err != nil {
		return Person{}, err
	}
	return k.identify(ctx, code, s)
}

// describe asks the provider to describe itself, unless it has. Those who come
// meanwhile share the answer, and one who leaves takes it from nobody.
func (p *Provider) describe(ctx context.Context) (*described, error) {
	if known := p.known.Load(); known != nil {
		return known, nil
	}
	answer := p.asking.DoChan("", func() (any, error) {
		if known := p.known.Load(); known != nil {
			return known, nil
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
		defer cancel()
		known, err := p.ask(ctx)
		if err != nil {
			return nil, undescribed{err}
		}
		p.known.Store(known)
		return known, nil
	})
	select {
	case <-ctx.Done():
		return nil, undescribed{ctx.Err()}
	case a := <-answer:
		known, _ := a.Val.(*described)
		return known, a.Err
	}
}

// ask reads the provider's description of itself.
func (p *Provider) ask(ctx context.Context) (*described, error) {
	provider, err := oidc.NewProvider(oidc.ClientContext(ctx, p.client), p.settings.Issuer)
	if err != nil {
		return nil, fmt.Errorf("ask the provider about itself: %w", err)
	}
	endpoint, err := endpointOf(provider)
	if err != nil {
		return nil, err
	}
	return &described{
		provider: provider,
		verifier: provider.Verifier(&oidc.Config{ClientID: p.settings.ClientID, Now: p.now}),
		oauth: &oauth2.Config{
			ClientID: p.settings.ClientID, ClientSecret: p.settings.ClientSecret, Endpoint: endpoint,
			RedirectURL: p.returnURL, Scopes: []string{oidc.ScopeOpenID, oidc.ScopeEmail},
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

// maxSubject is what the standard allows a subject.
const maxSubject = 255

// identify gives the code back to the provider, and believes the answer if the
// provider signed it for this sign-in.
func (k *described) identify(ctx context.Context, code string, s SignIn) (Person, error) {
	ctx, cancel := context.WithTimeout(oidc.ClientContext(ctx, k.client), timeout)
	defer cancel()
	token, err := k.oauth.Exchange(ctx, code, oauth2.VerifierOption(s.Verifier))
	if err != nil {
		return Person{}, fmt.Errorf("exchange the code: %w", err)
	}
	raw, _ := token.Extra("id_token").(string)
	signed, err := k.verifier.Verify(ctx, raw)
	if err != nil {
		return Person{}, fmt.Errorf("verify the ID token: %w", err)
	}
	who, err := k.read(signed, s)
	if err != nil || who.Email != "" || k.provider.UserInfoEndpoint() == "" {
		return who, err
	}
	more, err := k.provider.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err != nil || more.Subject != who.Subject {
		// The error may quote what the provider knows of the person.
		return Person{}, errors.New("the user info endpoint does not answer, or tells of somebody else")
	}
	who.Email, who.Verified = more.Email, more.EmailVerified
	return who, nil
}

// read takes from an ID token of this provider whom it means, if it belongs to
// this sign-in and to no other client.
func (k *described) read(signed *oidc.IDToken, s SignIn) (Person, error) {
	var claims struct {
		Party    string `json:"azp"`
		Email    string `json:"email"`
		Verified any    `json:"email_verified"` // some providers write "true"
	}
	if err := signed.Claims(&claims); err != nil {
		return Person{}, fmt.Errorf("read the ID token: %w", err)
	}
	switch {
	case subtle.ConstantTimeCompare([]byte(signed.Nonce), []byte(s.Nonce)) == 0:
		return Person{}, errors.New("the ID token belongs to another sign-in")
	case claims.Party != "" && claims.Party != k.oauth.ClientID:
		return Person{}, errors.New("the ID token was made for another client")
	case signed.Subject == "" || len(signed.Subject) > maxSubject:
		return Person{}, errors.New("the ID token does not tell whom it means")
	}
	verified := claims.Verified == true || claims.Verified == "true"
	return Person{signed.Subject, claims.Email, verified}, nil
}

// undescribed is why a provider did not describe itself.
type undescribed struct{ error }

// Unwrap gives the reason.
func (u undescribed) Unwrap() error { return u.error }

// Silent says of an error of this package whether the provider did not answer,
// rather than refused.
func Silent(err error) bool {
	if errors.As(err, new(undescribed)) {
		return true
	}
	var refused *oauth2.RetrieveError
	if errors.As(err, &refused) {
		return refused.Response.StatusCode >= http.StatusInternalServerError
	}
	var network net.Error
	return errors.As(err, &network)
}

// Reason is what a log may say of an error of this package: never what the
// provider answered to a code, which may be a token, and of all else not much.
func Reason(err error) string {
	var refused *oauth2.RetrieveError
	if errors.As(err, &refused) {
		return fmt.Sprintf("exchange the code: the provider answered %d, error %.40q", refused.Response.StatusCode, refused.ErrorCode)
	}
	return fmt.Sprintf("%.300s", err)
}

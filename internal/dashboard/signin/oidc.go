package signin

import (
	"cmp"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/dashboard/openid"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/serve"
)

// providerReturnPath is where the provider sends a browser back to.
const providerReturnPath = "/signin/oidc/callback"

// pendingSignIn is a sign-in that was sent to the provider. It is kept in the
// session of the browser that began it, so that an answer from another browser,
// even for the attacker's own account, is refused.
type pendingSignIn struct {
	openid.SignIn
	At      int64  `json:"at"`
	Back    string `json:"back"`    // the page that follows
	Browser string `json:"browser"` // name of the browser that it counts against; "": it counts against the address
}

const (
	sessionPending = "begun"   // a pendingSignIn in JSON
	sessionBrowser = "browser" // a random name of a browser that began a sign-in
	pendingFor     = 10 * time.Minute
	clockSlack     = time.Minute // by which the node of the beginning may be ahead of that of the end
)

// How many sign-ins that do not succeed may begin in an hour: in a browser, and in
// all browsers with one address that have not begun one before. An office has one
// address.
const (
	perBrowser = 30
	perAddress = 300
)

// begun returns what a beginning sign-in counts against, for account.Throttle.
func (p *pages) begun(v *web.Visit, browser string) (what string, addr netip.Addr, limit int, window time.Duration, now int64) {
	if browser == "" {
		return "oidc", v.Client(), perAddress, time.Hour, v.Now()
	}
	return "oidc in browser " + browser, netip.Addr{}, perBrowser, time.Hour, v.Now()
}

// isNavigation reports whether r is a navigation of the whole window, by its
// Sec-Fetch headers. Without them it may be one. Other sites can cause requests for
// images and frames.
func isNavigation(r *http.Request) bool {
	mode, dest := r.Header.Get("Sec-Fetch-Mode"), r.Header.Get("Sec-Fetch-Dest")
	return (mode == "" || mode == "navigate") && (dest == "" || dest == "document")
}

func (p *pages) redirectToProvider(v *web.Visit) error {
	if p.OIDC == nil {
		return web.NotFound()
	}
	if p.site.Insecure(v.R) {
		return v.Redirect(v.To("/signin")) // which explains what is wrong
	}
	if !isNavigation(v.R) {
		return &web.Problem{Status: http.StatusForbidden, Message: "oidc.not-a-page"}
	}
	pending := pendingSignIn{At: v.Now(), Back: p.afterSignIn(v.Form("back")), Browser: v.SessionValue(sessionBrowser)}
	if wait := p.throttle.Allow(p.begun(v, pending.Browser)); wait > 0 {
		return &web.Problem{Status: http.StatusTooManyRequests, Message: "oidc.too-many", RetryAfter: wait}
	}
	browser := pending.Browser
	for _, secret := range []*string{&pending.State, &pending.Nonce, &pending.Verifier, &browser} {
		if *secret != "" {
			continue // the browser has a name
		}
		var raw [32]byte
		if _, err := io.ReadFull(p.site.Rand, raw[:]); err != nil {
			return fmt.Errorf("generate the secrets of a sign-in: %w", err)
		}
		*secret = base64.RawURLEncoding.EncodeToString(raw[:])
	}
	address, err := p.provider.AuthURL(v.Context(), pending.SignIn)
	if err != nil {
		return p.providerFailed(v, err)
	}
	text, err := json.Marshal(pending)
	if err != nil {
		return err
	}
	v.SetSessionValue(sessionPending, string(text))
	v.SetSessionValue(sessionBrowser, browser)
	return v.Redirect(address)
}

func (p *pages) returnFromProvider(v *web.Visit) error {
	if p.OIDC == nil {
		return web.NotFound()
	}
	notBegun := &web.Problem{Status: http.StatusBadRequest, Message: "oidc.not-begun"}
	var pending pendingSignIn
	if json.Unmarshal([]byte(v.SessionValue(sessionPending)), &pending) != nil || pending.State == "" ||
		subtle.ConstantTimeCompare([]byte(pending.State), []byte(v.Form("state"))) == 0 ||
		cmp.Or(v.Form("iss"), p.OIDC.Issuer) != p.OIDC.Issuer { // RFC 9207
		// The pending sign-in stays: other sites can cause requests with other states.
		return notBegun
	}
	v.SetSessionValue(sessionPending, "")
	if age := time.Duration(v.Now()-pending.At) * time.Millisecond; age < -clockSlack || age >= pendingFor {
		return notBegun
	}
	switch refusal := v.Form("error"); refusal {
	case "":
	case "access_denied":
		return v.Done("/signin?"+url.Values{"back": {pending.Back}}.Encode(), "oidc.called-off", p.OIDC.Name)
	default:
		return p.providerFailed(v, fmt.Errorf("the provider sent the visitor back with error %.40q", refusal))
	}
	identity, err := p.provider.Identify(v.Context(), v.Form("code"), pending.SignIn)
	if err != nil {
		return p.providerFailed(v, err)
	}
	u, err := p.providerUser(v, identity)
	if err != nil {
		return err
	}
	if u.Disabled() {
		return &web.Problem{Status: http.StatusUnauthorized, Message: "signin.wrong"}
	}
	if err := p.startSession(v, u); err != nil {
		return err
	}
	p.throttle.Undo(p.begun(v, pending.Browser))
	return v.Redirect(pending.Back)
}

// providerFailed logs why a sign-in with the provider failed, and returns what
// the visitor reads.
func (p *pages) providerFailed(v *web.Visit, err error) error {
	p.site.Log.Warn("sign-in with the provider failed",
		"request_id", serve.RecordFrom(v.Context()).RequestID, "reason", openid.LogText(err))
	if openid.Unavailable(err) {
		return &web.Problem{Status: http.StatusServiceUnavailable, Message: "oidc.silent", Args: []any{p.OIDC.Name}}
	}
	return &web.Problem{Status: http.StatusBadRequest, Message: "oidc.failed", Args: []any{p.OIDC.Name}}
}

// byProvider returns the audit record of what a user does through the provider,
// regardless of who was signed in before.
func (p *pages) byProvider(v *web.Visit, userID string) account.By {
	by := v.ByWith(p.OIDC.Issuer)
	by.Actor = userID
	return by
}

// providerUser returns the user with an identity of the provider. The first time,
// it links the identity to the account with the email address, or creates an
// account if the person may join. If another sign-in got there first, it looks
// again.
func (p *pages) providerUser(v *web.Visit, identity openid.Identity) (u account.User, err error) {
	for range 3 {
		u, err = p.findOrCreateUser(v, identity)
		if !errors.Is(err, account.ErrEmailTaken) && !errors.Is(err, account.ErrLinkGone) {
			return u, err
		}
	}
	return u, err
}

func (p *pages) findOrCreateUser(v *web.Visit, identity openid.Identity) (account.User, error) {
	ctx := v.Context()
	u, found, err := p.Users.FindUserByIdentity(ctx, p.OIDC.Issuer, identity.Subject)
	if err != nil || found {
		return u, web.DatabaseError(err)
	}
	email, err := account.ParseEmail(identity.Email)
	switch {
	case err != nil:
		return u, &web.Problem{Status: http.StatusForbidden, Message: "oidc.no-address", Args: []any{p.OIDC.Name}}
	case !identity.EmailVerified:
		return u, &web.Problem{Status: http.StatusForbidden, Message: "oidc.unverified", Args: []any{p.OIDC.Name, email}}
	}
	u, found, err = p.Users.FindUserByEmail(ctx, email)
	switch {
	case err != nil || u.Disabled():
		return u, web.DatabaseError(err)
	case found:
		err = p.removeUnprovenPassword(v, u)
	default:
		u, err = p.createProviderUser(v, email)
	}
	if err != nil {
		return u, err
	}
	if err := p.Users.AddIdentity(ctx, u.ID, p.OIDC.Issuer, identity.Subject, p.byProvider(v, u.ID)); err != nil {
		return u, web.DatabaseError(err)
	}
	u, err = p.Users.FindUser(ctx, u.ID) // with the changes above
	return u, web.DatabaseError(err)
}

// removeUnprovenPassword removes the password of an account that anybody may have
// created. Where everybody may sign up with any address, the person who chose the
// password never proved that the address is theirs, and would keep a way into the
// account of its owner. A visitor who is signed in to the account has proved both.
func (p *pages) removeUnprovenPassword(v *web.Visit, u account.User) error {
	if p.site.SignUp != web.SignUpOpen || u.PasswordHash == "" || v.User != nil && v.User.ID == u.ID {
		return nil
	}
	if err := p.Users.SetPassword(v.Context(), u.ID, "", p.byProvider(v, u.ID)); err != nil {
		return web.DatabaseError(err)
	}
	v.SetNotice(web.Notice{Key: "oidc.password-removed", Args: []any{p.OIDC.Name}, Bad: true})
	return nil
}

// createProviderUser creates a user without a password, if they are invited or if
// everybody may sign up.
func (p *pages) createProviderUser(v *web.Visit, email string) (account.User, error) {
	ctx := v.Context()
	var invitation account.Link
	invited := false
	if p.site.SignUp != web.SignUpClosed {
		links, err := p.Links.OpenLinks(ctx, v.Now())
		if err != nil {
			return account.User{}, web.DatabaseError(err)
		}
		i := slices.IndexFunc(links, func(l account.Link) bool { return l.Purpose == account.LinkInvite && l.Email == email })
		if invited = i >= 0; invited {
			invitation = links[i]
		}
	}
	if !invited && p.site.SignUp != web.SignUpOpen {
		return account.User{}, &web.Problem{Status: http.StatusForbidden, Message: "oidc.no-account", Args: []any{email}}
	}
	u, err := p.newUser(v, email)
	if err != nil {
		return account.User{}, err
	}
	if invited {
		err = p.Links.AcceptLink(ctx, invitation.Hash, u, p.byProvider(v, u.ID))
	} else {
		err = p.Users.CreateUser(ctx, u, p.byProvider(v, u.ID))
	}
	return u, web.DatabaseError(err)
}

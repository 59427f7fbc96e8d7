package dashboard

import (
	"context"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/dashboard/openid"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/serve"
)

// providerReturn is where the provider sends a browser back to.
const providerReturn = "/signin/oidc/callback"

func (d *Dashboard) handleOidc() {
	d.site.Handle("GET /signin/oidc", web.Anyone, d.toProvider)
	d.site.Handle("GET "+providerReturn, web.Anyone, d.fromProvider)
}

// begunSignIn is a sign-in that was sent to the provider. It waits in the
// session of the browser that began it: an answer that another one brings, be
// it of the attacker's own account, is nobody's.
type begunSignIn struct {
	openid.SignIn
	At   int64  `json:"at"`
	Back string `json:"back"` // where to go afterwards
}

const (
	sessionBegun = "begun" // a begunSignIn in JSON, until it is over
	begunFor     = 10 * time.Minute
	maxBack      = 1024 // bytes of an address that a session is to remember
)

// toProvider sends a visitor to the provider.
func (d *Dashboard) toProvider(v *web.Visit) error {
	if d.cfg.OIDC == nil {
		return web.NotFound()
	}
	if d.insecure(v) {
		return v.Redirect("/signin") // which says why it cannot work
	}
	ctx := v.Context()
	if wait := d.throttle.Allow("oidc", v.Client(), 30, time.Hour, v.Now()); wait > 0 {
		return &web.Problem{Status: http.StatusTooManyRequests, Message: "oidc.too-many", RetryAfter: wait}
	}
	b, err := d.beginSignIn(v)
	if err != nil {
		return err
	}
	address, err := d.provider.Address(ctx, b.SignIn)
	if err != nil {
		return d.providerFailed(v, err)
	}
	text, err := json.Marshal(b)
	if err != nil {
		return err
	}
	v.SetSessionValue(sessionBegun, string(text))
	http.Redirect(v.W, v.R, address, http.StatusSeeOther)
	return nil
}

// beginSignIn draws what makes a sign-in this one.
func (d *Dashboard) beginSignIn(v *web.Visit) (begunSignIn, error) {
	b := begunSignIn{At: v.Now(), Back: afterSignIn(v.Form("back"))}
	for _, secret := range []*string{&b.State, &b.Nonce, &b.Verifier} {
		var raw [32]byte
		if _, err := io.ReadFull(d.site.Rand, raw[:]); err != nil {
			return b, fmt.Errorf("draw the secrets of a sign-in: %w", err)
		}
		*secret = base64.RawURLEncoding.EncodeToString(raw[:])
	}
	return b, nil
}

// afterSignIn is where to go after a sign-in: never to another one, which a
// provider that does not ask again would make a circle.
func afterSignIn(wanted string) string {
	path := web.LocalPath(wanted, "/keys")
	u, err := url.Parse(path)
	if err != nil || len(path) > maxBack || u.Path == "/signin" || strings.HasPrefix(u.Path, "/signin/") {
		return "/keys"
	}
	return path
}

// fromProvider lets a visitor in whom the provider sends back.
func (d *Dashboard) fromProvider(v *web.Visit) error {
	if d.cfg.OIDC == nil {
		return web.NotFound()
	}
	b, ok := d.takeBegun(v, v.Form("state"))
	if !ok {
		return &web.Problem{Status: http.StatusBadRequest, Message: "oidc.not-begun"}
	}
	switch refusal := v.Form("error"); refusal {
	case "":
	case "access_denied":
		return v.Done("/signin?"+url.Values{"back": {b.Back}}.Encode(), "oidc.called-off", d.cfg.OIDC.Name)
	default:
		return d.providerFailed(v, fmt.Errorf("the provider sent the visitor back with error %.40q", refusal))
	}
	who, err := d.provider.Identify(v.Context(), v.Form("code"), b.SignIn)
	if err != nil {
		return d.providerFailed(v, err)
	}
	u, err := d.providerUser(v, who)
	if err != nil {
		return err
	}
	if u.Disabled() {
		return &web.Problem{Status: http.StatusUnauthorized, Message: "signin.wrong"}
	}
	if err := d.letIn(v, u); err != nil {
		return err
	}
	return v.Redirect(b.Back)
}

// takeBegun ends the wait for an answer with this state, and only for that:
// what others make a browser ask for does not end it.
func (d *Dashboard) takeBegun(v *web.Visit, state string) (b begunSignIn, ok bool) {
	if json.Unmarshal([]byte(v.SessionValue(sessionBegun)), &b) != nil || b.State == "" || !sameSecret(b.State, state) {
		return begunSignIn{}, false
	}
	v.SetSessionValue(sessionBegun, "")
	age := time.Duration(v.Now()-b.At) * time.Millisecond
	return b, age >= 0 && age < begunFor
}

// sameSecret compares secrets without telling how far they are the same.
func sameSecret(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// providerFailed tells the log why the provider was no help, and the visitor
// that it was none.
func (d *Dashboard) providerFailed(v *web.Visit, err error) error {
	d.site.Log.Warn("sign-in with the provider failed",
		"request_id", serve.RecordFrom(v.Context()).RequestID, "reason", openid.Reason(err))
	p := &web.Problem{Status: http.StatusBadRequest, Message: "oidc.failed", Args: []any{d.cfg.OIDC.Name}}
	if openid.Silent(err) {
		p.Status, p.Message = http.StatusServiceUnavailable, "oidc.silent"
	}
	return p
}

// byProvider says that a user does something by way of the provider, whoever
// was signed in before.
func (d *Dashboard) byProvider(v *web.Visit, userID string) account.By {
	by := v.By()
	by.Actor, by.Detail = userID, d.cfg.OIDC.Issuer
	return by
}

// providerUser is the user whom the provider means. One who is found for the first
// time is tied to what the provider calls him; one who is not there is made, if
// he may join. Whoever is overtaken by another sign-in looks again.
func (d *Dashboard) providerUser(v *web.Visit, who openid.Person) (u account.User, err error) {
	for range 3 {
		u, err = d.findOrJoin(v, who)
		if !errors.Is(err, account.ErrEmailTaken) && !errors.Is(err, account.ErrLinkGone) {
			return u, err
		}
	}
	return u, err
}

func (d *Dashboard) findOrJoin(v *web.Visit, who openid.Person) (account.User, error) {
	ctx, store := v.Context(), d.cfg.Store
	u, found, err := store.FindUserByIdentity(ctx, d.cfg.OIDC.Issuer, who.Subject)
	if err != nil || found {
		return u, web.StoreError(err)
	}
	email, err := d.provedEmail(who)
	if err != nil {
		return u, err
	}
	u, found, err = store.FindUserByEmail(ctx, email)
	switch {
	case err != nil || u.Disabled():
		return u, web.StoreError(err)
	case found:
		err = d.dropUnprovedPassword(v, u)
	default:
		u, err = d.joinByProvider(v, email)
	}
	if err != nil {
		return u, err
	}
	if err := store.AddIdentity(ctx, u.ID, d.cfg.OIDC.Issuer, who.Subject, d.byProvider(v, u.ID)); err != nil {
		return u, web.StoreError(err)
	}
	u, err = store.FindUser(ctx, u.ID) // as the changes have left him
	return u, web.StoreError(err)
}

// provedEmail is the address that the provider vouches for.
func (d *Dashboard) provedEmail(who openid.Person) (string, error) {
	email, err := account.ParseEmail(who.Email)
	switch {
	case err != nil:
		return "", &web.Problem{Status: http.StatusForbidden, Message: "oidc.no-address", Args: []any{d.cfg.OIDC.Name}}
	case !who.Verified:
		return "", &web.Problem{Status: http.StatusForbidden, Message: "oidc.unverified", Args: []any{d.cfg.OIDC.Name, email}}
	}
	return email, nil
}

// dropUnprovedPassword takes the password of an account that anybody may have
// made, where everybody may sign up with any address: who chose it never showed
// that the address is his, and would keep a way into the account of whom it
// belongs to. Whoever is signed in with the account and with the provider has
// shown that he is both.
func (d *Dashboard) dropUnprovedPassword(v *web.Visit, u account.User) error {
	if d.site.SignUp != web.SignUpOpen || u.PasswordHash == "" || v.User != nil && v.User.ID == u.ID {
		return nil
	}
	if err := d.cfg.Store.SetPassword(v.Context(), u.ID, "", d.byProvider(v, u.ID)); err != nil {
		return web.StoreError(err)
	}
	v.SetNotice(web.Notice{Key: "oidc.password-removed", Args: []string{d.cfg.OIDC.Name}, Bad: true})
	return nil
}

// joinByProvider makes a user without a password: whoever is invited may join, and
// everybody if sign-up is open.
func (d *Dashboard) joinByProvider(v *web.Visit, email string) (account.User, error) {
	ctx := v.Context()
	invitation, invited, err := d.openInvitation(ctx, email, v.Now())
	if err != nil {
		return account.User{}, err
	}
	if !invited && d.site.SignUp != web.SignUpOpen {
		return account.User{}, &web.Problem{Status: http.StatusForbidden, Message: "oidc.no-account", Args: []any{email}}
	}
	id, err := account.NewUserID(v.Now(), d.site.Rand)
	if err != nil {
		return account.User{}, err
	}
	u := account.User{ID: id, Email: email, CreatedAt: v.Now()}
	if invited {
		err = d.cfg.Store.AcceptLink(ctx, invitation.Hash, u, d.byProvider(v, id))
	} else {
		err = d.cfg.Store.CreateUser(ctx, u, d.byProvider(v, id))
	}
	return u, web.StoreError(err)
}

// openInvitation is the open one for an address.
func (d *Dashboard) openInvitation(ctx context.Context, email string, now int64) (l account.Link, found bool, err error) {
	if d.site.SignUp == web.SignUpClosed {
		return l, false, nil
	}
	links, err := d.cfg.Store.OpenLinks(ctx, now)
	for _, l := range links {
		if l.Purpose == account.LinkInvite && l.Email == email {
			return l, true, nil
		}
	}
	return l, false, web.StoreError(err)
}

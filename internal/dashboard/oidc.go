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
	"gamedex/internal/serve"
)

// providerReturn is where the provider sends a browser back to.
const providerReturn = "/signin/oidc/callback"

func oidcRoutes() []route {
	return []route{
		{"GET /signin/oidc", anyone, (*Dashboard).toProvider},
		{"GET " + providerReturn, anyone, (*Dashboard).fromProvider},
	}
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
func (d *Dashboard) toProvider(v *visit) error {
	if d.cfg.OIDC == nil {
		return notFoundProblem()
	}
	if v.insecure() {
		return v.redirect("/signin") // which says why it cannot work
	}
	ctx := v.r.Context()
	if wait := d.throttle.Allow("oidc", d.cfg.Client(v.r), 30, time.Hour, v.now()); wait > 0 {
		return &problem{status: http.StatusTooManyRequests, message: "oidc.too-many", retryAfter: wait}
	}
	b, err := v.beginSignIn()
	if err != nil {
		return err
	}
	address, err := d.provider.Address(ctx, b.SignIn)
	if err != nil {
		return v.providerFailed(err)
	}
	text, err := json.Marshal(b)
	if err != nil {
		return err
	}
	d.sessions.Put(ctx, sessionBegun, string(text))
	http.Redirect(v.w, v.r, address, http.StatusSeeOther)
	return nil
}

// beginSignIn draws what makes a sign-in this one.
func (v *visit) beginSignIn() (begunSignIn, error) {
	b := begunSignIn{At: v.now(), Back: afterSignIn(v.form("back"))}
	for _, secret := range []*string{&b.State, &b.Nonce, &b.Verifier} {
		var raw [32]byte
		if _, err := io.ReadFull(v.d.cfg.Rand, raw[:]); err != nil {
			return b, fmt.Errorf("draw the secrets of a sign-in: %w", err)
		}
		*secret = base64.RawURLEncoding.EncodeToString(raw[:])
	}
	return b, nil
}

// afterSignIn is where to go after a sign-in: never to another one, which a
// provider that does not ask again would make a circle.
func afterSignIn(wanted string) string {
	path := ownPath(wanted, "/keys")
	u, err := url.Parse(path)
	if err != nil || len(path) > maxBack || u.Path == "/signin" || strings.HasPrefix(u.Path, "/signin/") {
		return "/keys"
	}
	return path
}

// fromProvider lets a visitor in whom the provider sends back.
func (d *Dashboard) fromProvider(v *visit) error {
	if d.cfg.OIDC == nil {
		return notFoundProblem()
	}
	b, ok := v.takeBegun(v.form("state"))
	if !ok {
		return &problem{status: http.StatusBadRequest, message: "oidc.not-begun"}
	}
	switch refusal := v.form("error"); refusal {
	case "":
	case "access_denied":
		return v.done("/signin?"+url.Values{"back": {b.Back}}.Encode(), "oidc.called-off", d.cfg.OIDC.Name)
	default:
		return v.providerFailed(fmt.Errorf("the provider sent the visitor back with error %.40q", refusal))
	}
	who, err := d.provider.Identify(v.r.Context(), v.form("code"), b.SignIn)
	if err != nil {
		return v.providerFailed(err)
	}
	u, err := d.providerUser(v, who)
	if err != nil {
		return err
	}
	if u.Disabled() {
		return &problem{status: http.StatusUnauthorized, message: "signin.wrong"}
	}
	if err := v.letIn(u); err != nil {
		return err
	}
	return v.redirect(b.Back)
}

// takeBegun ends the wait for an answer with this state, and only for that:
// what others make a browser ask for does not end it.
func (v *visit) takeBegun(state string) (b begunSignIn, ok bool) {
	sessions, ctx := v.d.sessions, v.r.Context()
	if json.Unmarshal([]byte(sessions.GetString(ctx, sessionBegun)), &b) != nil || b.State == "" || !sameSecret(b.State, state) {
		return begunSignIn{}, false
	}
	sessions.Remove(ctx, sessionBegun)
	age := time.Duration(v.now()-b.At) * time.Millisecond
	return b, age >= 0 && age < begunFor
}

// sameSecret compares secrets without telling how far they are the same.
func sameSecret(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// providerFailed tells the log why the provider was no help, and the visitor
// that it was none.
func (v *visit) providerFailed(err error) error {
	v.d.cfg.Log.Warn("sign-in with the provider failed",
		"request_id", serve.RecordFrom(v.r.Context()).RequestID, "reason", openid.Reason(err))
	p := &problem{status: http.StatusBadRequest, message: "oidc.failed", args: []any{v.d.cfg.OIDC.Name}}
	if openid.Silent(err) {
		p.status, p.message = http.StatusServiceUnavailable, "oidc.silent"
	}
	return p
}

// byProvider says that a user does something by way of the provider, whoever
// was signed in before.
func (v *visit) byProvider(userID string) account.By {
	by := v.by()
	by.Actor, by.Detail = userID, v.d.cfg.OIDC.Issuer
	return by
}

// providerUser is the user whom the provider means. One who is found for the first
// time is tied to what the provider calls him; one who is not there is made, if
// he may join. Whoever is overtaken by another sign-in looks again.
func (d *Dashboard) providerUser(v *visit, who openid.Person) (u account.User, err error) {
	for range 3 {
		u, err = d.findOrJoin(v, who)
		if !errors.Is(err, account.ErrEmailTaken) && !errors.Is(err, account.ErrLinkGone) {
			return u, err
		}
	}
	return u, err
}

func (d *Dashboard) findOrJoin(v *visit, who openid.Person) (account.User, error) {
	ctx, store := v.r.Context(), d.cfg.Store
	u, found, err := store.FindUserByIdentity(ctx, d.cfg.OIDC.Issuer, who.Subject)
	if err != nil || found {
		return u, stored(err)
	}
	email, err := d.provedEmail(who)
	if err != nil {
		return u, err
	}
	u, found, err = store.FindUserByEmail(ctx, email)
	switch {
	case err != nil || u.Disabled():
		return u, stored(err)
	case found:
		err = v.dropUnprovedPassword(u)
	default:
		u, err = d.joinByProvider(v, email)
	}
	if err != nil {
		return u, err
	}
	if err := store.AddIdentity(ctx, u.ID, d.cfg.OIDC.Issuer, who.Subject, v.byProvider(u.ID)); err != nil {
		return u, stored(err)
	}
	u, err = store.FindUser(ctx, u.ID) // as the changes have left him
	return u, stored(err)
}

// provedEmail is the address that the provider vouches for.
func (d *Dashboard) provedEmail(who openid.Person) (string, error) {
	email, err := account.ParseEmail(who.Email)
	switch {
	case err != nil:
		return "", &problem{status: http.StatusForbidden, message: "oidc.no-address", args: []any{d.cfg.OIDC.Name}}
	case !who.Verified:
		return "", &problem{status: http.StatusForbidden, message: "oidc.unverified", args: []any{d.cfg.OIDC.Name, email}}
	}
	return email, nil
}

// dropUnprovedPassword takes the password of an account that anybody may have
// made, where everybody may sign up with any address: who chose it never showed
// that the address is his, and would keep a way into the account of whom it
// belongs to. Whoever is signed in with the account and with the provider has
// shown that he is both.
func (v *visit) dropUnprovedPassword(u account.User) error {
	if v.d.cfg.SignUp != SignUpOpen || u.PasswordHash == "" || v.User != nil && v.User.ID == u.ID {
		return nil
	}
	if err := v.d.cfg.Store.SetPassword(v.r.Context(), u.ID, "", v.byProvider(u.ID)); err != nil {
		return stored(err)
	}
	v.tell(notice{Key: "oidc.password-removed", Args: []string{v.d.cfg.OIDC.Name}, Bad: true})
	return nil
}

// joinByProvider makes a user without a password: whoever is invited may join, and
// everybody if sign-up is open.
func (d *Dashboard) joinByProvider(v *visit, email string) (account.User, error) {
	ctx := v.r.Context()
	invitation, invited, err := d.openInvitation(ctx, email, v.now())
	if err != nil {
		return account.User{}, err
	}
	if !invited && d.cfg.SignUp != SignUpOpen {
		return account.User{}, &problem{status: http.StatusForbidden, message: "oidc.no-account", args: []any{email}}
	}
	id, err := account.NewUserID(v.now(), d.cfg.Rand)
	if err != nil {
		return account.User{}, err
	}
	u := account.User{ID: id, Email: email, CreatedAt: v.now()}
	if invited {
		err = d.cfg.Store.AcceptLink(ctx, invitation.Hash, u, v.byProvider(id))
	} else {
		err = d.cfg.Store.CreateUser(ctx, u, v.byProvider(id))
	}
	return u, stored(err)
}

// openInvitation is the open one for an address.
func (d *Dashboard) openInvitation(ctx context.Context, email string, now int64) (l account.Link, found bool, err error) {
	if d.cfg.SignUp == SignUpClosed {
		return l, false, nil
	}
	links, err := d.cfg.Store.OpenLinks(ctx, now)
	for _, l := range links {
		if l.Purpose == account.LinkInvite && l.Email == email {
			return l, true, nil
		}
	}
	return l, false, stored(err)
}

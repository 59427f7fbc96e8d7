package signin

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/dashboard/openid"
	"gamedex/internal/dashboard/web"
)

type signInView struct {
	Email, Back  string
	Reason       string // key: for what to sign in; ""
	Problem      string // a sentence
	Errors       web.FieldErrors
	Insecure     bool   // the browser would not send the cookie back
	PlainUser    string // the only one who may sign in, because the browser came without HTTPS
	Provider     string // path of the sign-in with a provider; "" without one
	ProviderName string
}

func (p *pages) signInView(v *web.Visit, email string) signInView {
	view := signInView{Email: email, Back: web.LocalPath(v.Form("back"), "")}
	if p.site.Insecure(v.R) {
		view.PlainUser, view.Insecure = p.site.PlainUser, p.site.PlainUser == ""
	}
	view.Reason = p.reasonFor(view.Back)
	if p.OIDC != nil && view.PlainUser == "" {
		view.Provider, view.ProviderName = "/signin/oidc", p.OIDC.Name
		if view.Back != "" {
			view.Provider += "?" + url.Values{"back": {view.Back}}.Encode()
		}
	}
	return view
}

func (p *pages) signInPage(v *web.Visit) error {
	if v.User != nil {
		return v.Redirect(p.afterSignIn(v.Form("back")))
	}
	return v.Render(http.StatusOK, "signin", p.signInView(v, ""))
}

// maxBack bounds the address to which a sign-in returns, in bytes.
const maxBack = 1024

// afterSignIn returns the page that follows a sign-in. It is never another
// sign-in: with a provider that does not ask again, that would be a loop.
func (p *pages) afterSignIn(wanted string) string {
	path := web.LocalPath(wanted, "/")
	u, err := url.Parse(path)
	if err != nil || len(path) > maxBack || p.site.In(u.Path, "/signin") {
		return "/"
	}
	return path
}

// signIn signs a user in with a password. An unknown address, a wrong password
// and a disabled user get the same answer after the same work.
func (p *pages) signIn(v *web.Visit) error {
	view := p.signInView(v, v.Form("email"))
	if view.Insecure {
		return v.Render(http.StatusBadRequest, "signin", view)
	}
	email, err := account.ParseEmail(view.Email)
	if err != nil {
		view.Errors = web.FieldErrors{"email": "wrong.email"}
		return v.Render(http.StatusUnprocessableEntity, "signin", view)
	}
	if view.PlainUser != "" && email != view.PlainUser {
		return v.Render(http.StatusBadRequest, "signin", view)
	}
	u, _, err := p.Users.FindUserByEmail(v.Context(), email)
	if err != nil {
		return web.DatabaseError(err)
	}
	correct, wait, err := p.checkPassword(v, email, u, v.R.PostFormValue("password"))
	switch {
	case err != nil:
		return err
	case wait > 0:
		view.Problem = throttled(v, wait)
		return v.Render(http.StatusTooManyRequests, "signin", view)
	case !correct:
		view.Problem = v.T("signin.wrong")
		return v.Render(http.StatusUnauthorized, "signin", view)
	}
	if err := p.startSession(v, u); err != nil {
		return err
	}
	return v.Redirect(p.afterSignIn(view.Back))
}

// checkPassword reports whether a password is that of a user who may sign in; u
// is empty if nobody has the email address. After too many wrong passwords it
// does not check the password and returns how long to wait.
func (p *pages) checkPassword(v *web.Visit, email string, u account.User, password string) (correct bool, wait time.Duration, err error) {
	known, err := v.KnownDevice(u.ID)
	if err != nil {
		return false, 0, err
	}
	from, now := v.Client(), v.Now()
	if wait := p.throttle.Admit(email, from, known, now); wait > 0 {
		return false, wait, nil
	}
	same, err := p.Passwords.Check(v.Context(), password, u.PasswordHash)
	if err != nil {
		p.throttle.GiveBack(email, from, known, now)
		return false, 0, hashError(err)
	}
	if same && !u.Disabled() {
		p.throttle.Succeeded(email, from, known, now)
		return true, 0, nil
	}
	return false, 0, nil
}

// hashError returns what the visitor reads of an error of the password hasher.
func hashError(err error) error {
	if errors.Is(err, account.ErrBusy) {
		return &web.Problem{Status: http.StatusServiceUnavailable, Message: "signin.busy", RetryAfter: 5 * time.Second}
	}
	return err
}

// throttled returns the sentence for a visitor who has to wait, and sends their
// browser the time.
func throttled(v *web.Visit, wait time.Duration) string {
	v.SetRetryAfter(wait)
	return v.N("signin.throttled", int((wait+time.Minute-1)/time.Minute))
}

// startSession signs a user in who has proved who they are, and makes the browser
// a known device.
func (p *pages) startSession(v *web.Visit, u account.User) error {
	by := v.By()
	by.Actor = u.ID
	if err := p.Users.NoteSignIn(v.Context(), u.ID, by); err != nil {
		return web.DatabaseError(err)
	}
	if err := v.RememberDevice(u.ID); err != nil {
		return err
	}
	return v.SignIn(u)
}

func (p *pages) signOut(v *web.Visit) error {
	if v.User != nil {
		if err := v.SignOut(); err != nil {
			return err
		}
	}
	return v.Redirect("/")
}

// Users finds and changes the users who sign in. Its errors wrap those of
// package account: ErrNotFound, ErrEmailTaken, ErrLastAdmin.
type Users interface {
	FindUser(ctx context.Context, id string) (account.User, error)
	FindUserByEmail(ctx context.Context, email string) (u account.User, found bool, err error)
	FindUserByIdentity(ctx context.Context, issuer, subject string) (u account.User, found bool, err error)
	AddIdentity(ctx context.Context, userID, issuer, subject string, by account.By) error
	CreateUser(ctx context.Context, u account.User, by account.By) error
	NoteSignIn(ctx context.Context, userID string, by account.By) error
	// SetPassword and EndSessions end all sessions of the user.
	SetPassword(ctx context.Context, userID, phc string, by account.By) error
	EndSessions(ctx context.Context, userID string, by account.By) error
	DeleteUser(ctx context.Context, userID string, by account.By) error
}

// Links keeps one-time links. A link that cannot be used is ErrLinkGone.
type Links interface {
	CountUsers(ctx context.Context) (int, error)
	SaveLink(ctx context.Context, l account.Link, by account.By) error
	// AddLink stores a link unless one for the same is open.
	AddLink(ctx context.Context, l account.Link, by account.By) (added bool, err error)
	// FindLink and OpenLinks find links that are neither used nor expired.
	FindLink(ctx context.Context, hash [32]byte, now int64) (l account.Link, found bool, err error)
	OpenLinks(ctx context.Context, now int64) ([]account.Link, error)
	AcceptLink(ctx context.Context, hash [32]byte, u account.User, by account.By) error
	AcceptReset(ctx context.Context, hash [32]byte, phc string, by account.By) (account.User, error)
}

// Config is what the pages need besides the site.
type Config struct {
	Users     Users
	Links     Links
	KeysOf    func(ctx context.Context, userID string) ([]account.Key, error) // that end with an account
	Passwords *account.Passwords
	OIDC      *openid.Settings    // nil: no sign-in with a provider
	Tries     account.SharedTries // nil: this process alone throttles sign-ins
	// OthersToo says that other processes show these pages too. Then a set-up link that
	// one of them made stays valid.
	OthersToo bool
}

type pages struct {
	Config
	site     *web.Site
	throttle *account.Throttle
	provider *openid.Provider // nil without one
}

// New registers the pages with the site. It returns a function that returns a new link with which the first
// administrator creates their account; earlier ones stop working. While there are users, none is needed and none is
// made. The address is empty if another process has made one that is still open.
func New(site *web.Site, cfg Config) (setupLink func(context.Context) (address string, needed bool, err error)) {
	p := &pages{Config: cfg, site: site, throttle: account.NewThrottle(cfg.Tries)}
	site.HandleLocalized("GET /signin", web.Anyone, p.signInPage)
	site.HandleLocalized("POST /signin", web.Anyone, p.signIn)
	site.Handle("POST /signout", web.Anyone, p.signOut)
	site.HandleLocalized("GET /forgotten", web.Anyone, func(v *web.Visit) error { // the service sends no mail
		return v.Render(http.StatusOK, "forgotten", nil)
	})
	site.HandleLocalized("GET /signup", web.Anyone, p.signUpPage)
	site.HandleLocalized("POST /signup", web.Anyone, p.signUp)
	for _, purpose := range []account.Purpose{account.LinkSetup, account.LinkInvite, account.LinkReset} {
		path := LinkAddress("", purpose, "{token}")
		site.Handle("GET "+path, web.Anyone, func(v *web.Visit) error { return p.linkPage(v, purpose) })
		site.Handle("POST "+path, web.Anyone, func(v *web.Visit) error { return p.useLink(v, purpose) })
	}
	site.Handle("GET /signin/oidc", web.Anyone, p.redirectToProvider)
	site.Handle("GET "+providerReturnPath, web.Anyone, p.returnFromProvider)
	if cfg.OIDC != nil {
		p.provider = openid.New(*cfg.OIDC, site.PublicURL+providerReturnPath, site.Now)
	}
	site.Handle("GET /profile", web.SignedIn, p.profile)
	site.Handle("POST /profile/password", web.SignedIn, p.changePassword)
	site.Handle("POST /profile/sessions", web.SignedIn, p.signOutEverywhere)
	site.Handle("GET /profile/delete", web.SignedIn, p.deleteAccount)
	site.Handle("POST /profile/delete", web.SignedIn, p.deleteAccount)
	return p.setupLink
}

// reasons are the keys of the sentences that say for what a visitor signs in, by the part of the
// site to which the sign-in returns.
var reasons = [...]struct{ section, key string }{
	{"/keys", "signin.for.keys"},
	{"/usage", "signin.for.usage"},
	{"/profile", "signin.for.profile"},
	{"/admin", "signin.for.admin"},
	{"/browse", "signin.for.catalog"},
	{"/deals", "signin.for.catalog"},
	{"/games", "signin.for.catalog"},
}

// reasonFor returns the key of the sentence for a path of this server; "" if the page there needs
// no account.
func (p *pages) reasonFor(back string) string {
	u, err := url.Parse(back)
	if err != nil {
		return ""
	}
	for _, r := range reasons {
		if p.site.In(u.Path, r.section) {
			return r.key
		}
	}
	return ""
}

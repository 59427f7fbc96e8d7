package signin

import (
	"context"
	"embed"

	"gamedex/internal/account"
	"gamedex/internal/dashboard/openid"
	"gamedex/internal/dashboard/web"
)

// Templates are the templates of this package's pages.
//
//go:embed templates
var Templates embed.FS

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

// Keys lists the keys that end with an account.
type Keys interface {
	KeysOf(ctx context.Context, userID string) ([]account.Key, error)
}

// Config is what the pages need besides the site.
type Config struct {
	Users     Users
	Links     Links
	Keys      Keys
	Passwords *account.Passwords
	OIDC      *openid.Settings    // nil: no sign-in with a provider
	Tries     account.SharedTries // nil: this process alone throttles sign-ins
	// OthersToo says that other processes show these pages too. Then a set-up link that
	// one of them made stays valid.
	OthersToo bool
}

// Pages are the pages of this package. Create them with [New].
type Pages struct {
	Config
	site     *web.Site
	throttle *account.Throttle
	provider *openid.Provider // nil without one
}

// New registers the pages with the site.
func New(site *web.Site, cfg Config) *Pages {
	p := &Pages{Config: cfg, site: site, throttle: account.NewSharedThrottle(cfg.Tries)}
	site.HandleLocalized("GET /signin", web.Anyone, p.signInPage)
	site.HandleLocalized("POST /signin", web.Anyone, p.signIn)
	site.Handle("POST /signout", web.Anyone, p.signOut)
	site.HandleLocalized("GET /forgotten", web.Anyone, p.forgotten)
	site.HandleLocalized("GET /signup", web.Anyone, p.signUpPage)
	site.HandleLocalized("POST /signup", web.Anyone, p.signUp)
	for _, purpose := range []account.Purpose{account.LinkSetup, account.LinkInvite, account.LinkReset} {
		path := linkPath(purpose, "{token}")
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
	return p
}

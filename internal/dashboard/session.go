package dashboard

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/alexedwards/scs/v2"

	"gamedex/internal/account"
)

// How long a session lasts: so long without a visit, and so long in all. A
// visit moves the end only when a minute is won by it.
const (
	sessionIdle     = 7 * 24 * time.Hour
	sessionLifetime = 30 * 24 * time.Hour
	sessionGrain    = time.Minute
	renewalWait     = time.Second // that a page waits for a later end of its session
)

// What a session remembers.
const (
	sessionUser   = "user"   // id of who is signed in
	sessionEpoch  = "epoch"  // of the user, when he signed in
	sessionNotice = "notice" // what the next page is to tell
)

// newSessions makes the manager of sessions: a random token in a cookie, its
// hash in the store. It is made by hand because scs.New starts a store of its
// own, which never ends.
func (d *Dashboard) newSessions() *scs.SessionManager {
	return &scs.SessionManager{
		Lifetime: sessionLifetime, IdleTimeout: sessionIdle,
		HashTokenInStore: true, Codec: sessionCodec{}, Store: sessionStore{d},
	}
}

// sessionCookie is the name of the cookie that holds the token of a session,
// as cookieName takes it.
const sessionCookie = "gamedex"

// cookieName makes browsers hold on to what a cookie promises: one that begins
// so cannot be set over plain HTTP, or by a neighbour under the same domain.
func (d *Dashboard) cookieName(name string) string {
	if d.cfg.Secure {
		return "__Host-" + name
	}
	return name
}

// cookie is the value of a cookie that the browser sent; "" without it.
func (d *Dashboard) cookie(r *http.Request, name string) string {
	c, err := r.Cookie(d.cookieName(name))
	if err != nil {
		return ""
	}
	return c.Value
}

// setCookie has the browser keep a value for this server, out of reach of
// scripts and other sites' forms. An empty value is forgotten.
func (d *Dashboard) setCookie(w http.ResponseWriter, name, value string, until time.Time) {
	c := &http.Cookie{Name: d.cookieName(name), Value: value, Path: "/", MaxAge: -1,
		HttpOnly: true, Secure: d.cfg.Secure, SameSite: http.SameSiteLaxMode}
	if value != "" {
		c.Expires = until.UTC()
		c.MaxAge = max(1, int(until.Sub(d.cfg.Now()).Seconds()))
	}
	http.SetCookie(w, c)
}

// withSession runs a route inside its visitor's session.
func (d *Dashboard) withSession(rt route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Vary", "Cookie")
		ctx := context.WithValue(r.Context(), heldKey{}, new(held))
		ctx, err := d.sessions.Load(ctx, d.cookie(r, sessionCookie))
		if err != nil {
			d.sessionFailed(w, r, err)
			return
		}
		r = r.WithContext(ctx)
		sw := &sessionWriter{ResponseWriter: w, d: d, r: r}
		d.visited(rt, sw, r)
		sw.begin()
	})
}

// sessionFailed answers when a session can neither be read nor written.
func (d *Dashboard) sessionFailed(w http.ResponseWriter, r *http.Request, err error) {
	d.fail(&visit{d: d, w: w, r: r, language: d.languages.of(r)}, errors.Join(errStore, err))
}

// sessionWriter stores the session before the answer begins: the answer may say
// that somebody is signed in, and it carries the cookie.
type sessionWriter struct {
	http.ResponseWriter
	d     *Dashboard
	r     *http.Request
	begun bool
	lost  bool // the session could not be stored; the answer says that instead
}

// begin stores the session, once. It is false if the answer was another one.
func (sw *sessionWriter) begin() bool {
	if sw.begun {
		return !sw.lost
	}
	sw.begun = true
	if err := sw.d.commit(sw.ResponseWriter, sw.r); err != nil {
		sw.lost = true
		h := sw.Header()
		h.Del("Location")
		h.Del("Content-Type")
		h.Del("Content-Length")
		sw.d.sessionFailed(sw.ResponseWriter, sw.r, err)
	}
	return !sw.lost
}

// WriteHeader implements http.ResponseWriter.
func (sw *sessionWriter) WriteHeader(status int) {
	if sw.begin() {
		sw.ResponseWriter.WriteHeader(status)
	}
}

// Write implements http.ResponseWriter.
func (sw *sessionWriter) Write(p []byte) (int, error) {
	if !sw.begin() {
		return len(p), nil
	}
	return sw.ResponseWriter.Write(p)
}

// commit stores what the session remembers, and tells the browser if that is
// news to it. A session that remembers nothing any more ends.
func (d *Dashboard) commit(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	if d.sessions.Status(ctx) == scs.Modified && len(d.sessions.Keys(ctx)) == 0 {
		if err := d.sessions.Destroy(ctx); err != nil {
			return nil // it ends by itself one day
		}
	}
	switch d.sessions.Status(ctx) {
	case scs.Destroyed:
		d.setCookie(w, sessionCookie, "", time.Time{})
	case scs.Modified:
		token, expiry, err := d.sessions.Commit(ctx)
		if errors.Is(err, errSessionKept) {
			return nil
		}
		if err != nil {
			return err
		}
		d.setCookie(w, sessionCookie, token, expiry)
	}
	return nil
}

// signedInUser is the user of the session; nil without one, or if it is over:
// the user is gone or disabled, or all his sessions were ended.
func (d *Dashboard) signedInUser(ctx context.Context) (*account.User, error) {
	id := d.sessions.GetString(ctx, sessionUser)
	if id == "" {
		return nil, nil
	}
	u, err := d.cfg.Store.FindUser(ctx, id)
	switch {
	case errors.Is(err, account.ErrNotFound):
		return nil, stored(d.sessions.Destroy(ctx))
	case err != nil:
		return nil, stored(err)
	case u.Disabled() || u.Epoch != d.sessions.GetInt64(ctx, sessionEpoch):
		return nil, stored(d.sessions.Destroy(ctx))
	}
	return &u, nil
}

// signIn makes the session that of a user, under a new token: who planted the
// old one in his browser learns nothing. What the session remembered is forgotten,
// but for what the next page is to tell.
func (v *visit) signIn(u account.User) error {
	ctx := v.r.Context()
	if err := v.d.sessions.RenewToken(ctx); err != nil {
		return stored(err)
	}
	for _, name := range v.d.sessions.Keys(ctx) {
		if name != sessionNotice {
			v.d.sessions.Remove(ctx, name)
		}
	}
	v.d.sessions.Put(ctx, sessionUser, u.ID)
	v.d.sessions.Put(ctx, sessionEpoch, u.Epoch)
	v.User = &u
	return nil
}

// signOut ends this session.
func (v *visit) signOut() error {
	v.User = nil
	return stored(v.d.sessions.Destroy(v.r.Context()))
}

// tell leaves a sentence for the next page.
func (v *visit) tell(n notice) {
	text, err := json.Marshal(n)
	if err == nil {
		v.d.sessions.Put(v.r.Context(), sessionNotice, string(text))
	}
}

// takeNotice is the sentence that was left for this page.
func (v *visit) takeNotice() *notice {
	ctx := v.r.Context()
	if ctx.Value(heldKey{}) == nil {
		return nil // outside of any session
	}
	text := v.d.sessions.PopString(ctx, sessionNotice)
	var n notice
	if text == "" || json.Unmarshal([]byte(text), &n) != nil {
		return nil
	}
	return &n
}

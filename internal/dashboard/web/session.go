package web

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/alexedwards/scs/v2"

	"gamedex/internal/account"
)

const (
	sessionIdle     = 7 * 24 * time.Hour  // a session ends after this time without a visit
	sessionLifetime = 30 * 24 * time.Hour // and after this time in any case
	sessionGrain    = time.Minute         // a visit that moves the end by less does not store it
	renewalWait     = time.Second         // how long a page waits to store a later end
)

// The values of a session that the frame uses.
const (
	sessionUser   = "user"   // id of the user who is signed in
	sessionEpoch  = "epoch"  // of the user at the sign-in
	sessionNotice = "notice" // a Notice in JSON
)

// sessionCookie is the name of the cookie with the token of a session, without
// the prefix of cookieName.
const sessionCookie = "gamedex"

// Insecure reports whether a request needs HTTPS and came without.
func (s *Site) Insecure(r *http.Request) bool { return s.Secure(r) && !s.HTTPS(r) }

// secureCookies reports whether the cookies of a request are for HTTPS only.
func (s *Site) secureCookies(r *http.Request) bool {
	return s.Secure(r) && (s.PlainUser == "" || s.HTTPS(r))
}

// cookieName adds the prefix with which browsers refuse a cookie that was set
// over plain HTTP or by another host of the domain.
func (s *Site) cookieName(r *http.Request, name string) string {
	if s.secureCookies(r) {
		return "__Host-" + name
	}
	return name
}

func (s *Site) cookie(r *http.Request, name string) string {
	c, err := r.Cookie(s.cookieName(r, name))
	if err != nil {
		return ""
	}
	return c.Value
}

// setCookie sets a cookie that scripts cannot read and forms of other sites do
// not send. An empty value deletes it.
func (s *Site) setCookie(w http.ResponseWriter, r *http.Request, name, value string, until time.Time) {
	c := &http.Cookie{Name: s.cookieName(r, name), Value: value, Path: "/", MaxAge: -1,
		HttpOnly: true, Secure: s.secureCookies(r), SameSite: http.SameSiteLaxMode}
	if value != "" {
		c.Expires = until.UTC()
		c.MaxAge = max(1, int(until.Sub(s.Now()).Seconds()))
	}
	http.SetCookie(w, c)
}

// setChoice sets a cookie that keeps a choice of the visitor for a year. Its name has no
// prefix: nothing depends on who set it.
func (s *Site) setChoice(w http.ResponseWriter, r *http.Request, name, value string) {
	http.SetCookie(w, &http.Cookie{Name: name, Value: value, Path: "/", MaxAge: int((365 * 24 * time.Hour).Seconds()),
		HttpOnly: true, Secure: s.secureCookies(r), SameSite: http.SameSiteLaxMode})
}

// pageTimeout bounds the work for a page: a database that is silent must not hold it. A
// sign-in with a provider takes up to 10 s.
const pageTimeout = 15 * time.Second

// withSession returns the handler of a route, which loads the session before and stores
// it afterwards.
func (s *Site) withSession(rt Route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Vary", "Cookie")
		w.Header().Add("Vary", "Accept-Language")
		ctx, cancel := context.WithTimeout(r.Context(), pageTimeout)
		defer cancel()
		r = r.WithContext(ctx)
		ctx = context.WithValue(ctx, loadedKey{}, new(loadedSession))
		ctx, err := s.sessions.Load(ctx, s.cookie(r, sessionCookie))
		if err != nil {
			s.fail(s.NewVisit(w, r), errors.Join(errStore, err))
			return
		}
		r = r.WithContext(ctx)
		sw := &sessionWriter{ResponseWriter: w, site: s, r: r}
		v := s.NewVisit(sw, r)
		if err := s.visit(rt, v); err != nil {
			s.fail(v, err)
		}
		sw.commit()
	})
}

// sessionWriter stores the session before the response begins: the page may say
// that somebody is signed in, and the headers carry the cookie.
type sessionWriter struct {
	http.ResponseWriter
	site      *Site
	r         *http.Request
	committed bool
	failed    bool // the session was not stored, and the response says so
}

// commit stores the session, once. It reports whether the page may be written.
func (sw *sessionWriter) commit() bool {
	if sw.committed {
		return !sw.failed
	}
	sw.committed = true
	if err := sw.site.commitSession(sw.ResponseWriter, sw.r); err != nil {
		sw.failed = true
		h := sw.Header()
		h.Del("Location")
		h.Del("Content-Type")
		h.Del("Content-Length")
		sw.site.fail(sw.site.NewVisit(sw.ResponseWriter, sw.r), errors.Join(errStore, err))
	}
	return !sw.failed
}

// WriteHeader implements http.ResponseWriter.
func (sw *sessionWriter) WriteHeader(status int) {
	if sw.commit() {
		sw.ResponseWriter.WriteHeader(status)
	}
}

// Write implements http.ResponseWriter.
func (sw *sessionWriter) Write(p []byte) (int, error) {
	if !sw.commit() {
		return len(p), nil
	}
	return sw.ResponseWriter.Write(p)
}

// commitSession stores the session and sets its cookie, if either has changed. A
// session without values ends.
func (s *Site) commitSession(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	if s.sessions.Status(ctx) == scs.Modified && len(s.sessions.Keys(ctx)) == 0 {
		if err := s.sessions.Destroy(ctx); err != nil {
			return nil // it expires
		}
	}
	switch s.sessions.Status(ctx) {
	case scs.Destroyed:
		s.setCookie(w, r, sessionCookie, "", time.Time{})
	case scs.Modified:
		// A new session, or a new token after a sign-in: scs knows the time of this machine alone.
		if token := s.sessions.Token(ctx); token == "" || token != s.cookie(r, sessionCookie) {
			s.sessions.SetDeadline(ctx, s.Now().Add(sessionLifetime))
		}
		token, _, err := s.sessions.Commit(ctx)
		if errors.Is(err, errSessionUnchanged) {
			return nil
		}
		if err != nil {
			return err
		}
		s.setCookie(w, r, sessionCookie, token, s.sessionEnd(s.sessions.Deadline(ctx)))
	}
	return nil
}

// sessionEnd returns when a session ends that nobody visits from now on, but that lasts until deadline at most.
func (s *Site) sessionEnd(deadline time.Time) time.Time {
	if idle := s.Now().Add(sessionIdle); idle.Before(deadline) {
		return idle
	}
	return deadline
}

// sessionUser returns nil if nobody is signed in. The session ends if the user was
// deleted or disabled, or if all of their sessions were ended.
func (s *Site) sessionUser(ctx context.Context) (*account.User, error) {
	id := s.sessions.GetString(ctx, sessionUser)
	if id == "" {
		return nil, nil
	}
	u, err := s.Repository.FindUser(ctx, id)
	switch {
	case errors.Is(err, account.ErrNotFound):
		return nil, DatabaseError(s.sessions.Destroy(ctx))
	case err != nil:
		return nil, DatabaseError(err)
	case u.Disabled() || u.Epoch != s.sessions.GetInt64(ctx, sessionEpoch):
		return nil, DatabaseError(s.sessions.Destroy(ctx))
	}
	return &u, nil
}

// SignIn makes the session that of a user, with a new token: somebody who
// planted the old one in the browser learns nothing. It removes all values of the
// session except the notice of the next page.
func (v *Visit) SignIn(u account.User) error {
	ctx, sessions := v.Context(), v.site.sessions
	if err := sessions.RenewToken(ctx); err != nil {
		return DatabaseError(err)
	}
	for _, name := range sessions.Keys(ctx) {
		if name != sessionNotice {
			sessions.Remove(ctx, name)
		}
	}
	sessions.Put(ctx, sessionUser, u.ID)
	sessions.Put(ctx, sessionEpoch, u.Epoch)
	v.User = &u
	return nil
}

// SignOut ends this session.
func (v *Visit) SignOut() error {
	v.User = nil
	return DatabaseError(v.site.sessions.Destroy(v.Context()))
}

// SessionValue returns a value of the session, or "".
func (v *Visit) SessionValue(name string) string {
	return v.site.sessions.GetString(v.Context(), name)
}

// SetSessionValue stores a value in the session; "" removes it.
func (v *Visit) SetSessionValue(name, value string) {
	if value == "" {
		v.site.sessions.Remove(v.Context(), name)
		return
	}
	v.site.sessions.Put(v.Context(), name, value)
}

// Notice is a sentence about what was just done, shown once at the top of the
// next page.
type Notice struct {
	Key  string `json:"key"`
	Args []any  `json:"args,omitempty"` // texts
	Bad  bool   `json:"bad,omitempty"`
}

// SetNotice leaves a notice for the next page.
func (v *Visit) SetNotice(n Notice) {
	if text, err := json.Marshal(n); err == nil {
		v.SetSessionValue(sessionNotice, string(text))
	}
}

// deviceCookie is the name of the cookie of a known device: a browser in which
// somebody signed in to an account before. It grants no rights. It keeps people
// who guess passwords from using up the attempts of the account's owner.
const deviceCookie = "gamedex-device"

const deviceLifetime = 365 * 24 * time.Hour

// deviceID returns the id under which a known device is stored among the
// sessions. No token of a session has such a hash.
func deviceID(token string) string {
	hash := sha256.Sum256([]byte(token))
	return "device:" + base64.RawURLEncoding.EncodeToString(hash[:])
}

// KnownDevice reports whether somebody signed in to an account with this
// browser before. For an empty id it queries the database, too, and returns false.
func (v *Visit) KnownDevice(userID string) (bool, error) {
	token := v.site.cookie(v.R, deviceCookie)
	if !account.CheckLinkToken(token) {
		return false, nil
	}
	s, found, err := v.site.Repository.FindSession(v.Context(), deviceID(token), v.Now())
	return found && userID != "" && s.UserID == userID, DatabaseError(err)
}

// RememberDevice makes the browser a known device of an account for a year. A
// browser that was not one gets a new token: somebody else may have planted the
// old one.
func (v *Visit) RememberDevice(userID string) error {
	token := v.site.cookie(v.R, deviceCookie)
	known, err := v.KnownDevice(userID)
	if err != nil {
		return err
	}
	if !known {
		if token, err = account.NewLinkToken(v.site.Rand); err != nil {
			return err
		}
	}
	until := v.site.Now().Add(deviceLifetime)
	s := account.Session{ID: deviceID(token), UserID: userID, Body: []byte{}, ExpiresAt: until.UnixMilli()}
	if err := v.site.Repository.SaveSession(v.Context(), s); err != nil {
		return DatabaseError(err)
	}
	v.site.setCookie(v.W, v.R, deviceCookie, token, until)
	return nil
}

package dashboard

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
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

// sessionCodec writes a session as JSON: readable, and the same bytes for the
// same values.
type sessionCodec struct{}

// sessionVersion is that of the body below; bodies of others are no sessions.
const sessionVersion = 1

type sessionBody struct {
	Version  int               `json:"version"`
	Deadline int64             `json:"deadline"` // Unix milliseconds
	Texts    map[string]string `json:"texts,omitempty"`
	Numbers  map[string]int64  `json:"numbers,omitempty"`
}

// Encode implements scs.Codec. Values are texts and int64s.
func (sessionCodec) Encode(deadline time.Time, values map[string]any) ([]byte, error) {
	body := sessionBody{Version: sessionVersion, Deadline: deadline.UnixMilli(), Texts: map[string]string{}, Numbers: map[string]int64{}}
	for name, value := range values {
		switch value := value.(type) {
		case string:
			body.Texts[name] = value
		case int64:
			body.Numbers[name] = value
		default:
			return nil, fmt.Errorf("session value %s is a %T: must be a text or an int64", name, value)
		}
	}
	return json.Marshal(body)
}

// Decode implements scs.Codec.
func (sessionCodec) Decode(b []byte) (time.Time, map[string]any, error) {
	body, err := readSession(b)
	if err != nil {
		return time.Time{}, nil, err
	}
	values := make(map[string]any, len(body.Texts)+len(body.Numbers))
	for name, text := range body.Texts {
		values[name] = text
	}
	for name, n := range body.Numbers {
		values[name] = n
	}
	return time.UnixMilli(body.Deadline), values, nil
}

func readSession(b []byte) (body sessionBody, err error) {
	if err := json.Unmarshal(b, &body); err != nil {
		return sessionBody{}, fmt.Errorf("read session: %w", err)
	}
	if body.Version != sessionVersion {
		return sessionBody{}, fmt.Errorf("read session: version is %d: must be %d", body.Version, sessionVersion)
	}
	return body, nil
}

// sessionStore is the Store as scs wants it.
type sessionStore struct{ d *Dashboard }

// held is the stored session that a request came with, so that it is not
// written again without a reason, and not raised from the dead when another
// request has ended it meanwhile.
type held struct {
	account.Session
	body sessionBody
}

type heldKey struct{}

// errSessionKept says that the store has what it needs, and so has the browser.
var errSessionKept = errors.New("the session stays as it is")

// FindCtx implements scs.CtxStore. What cannot be read, because another version
// of the program wrote it, is no session.
func (s sessionStore) FindCtx(ctx context.Context, token string) ([]byte, bool, error) {
	found, ok, err := s.d.cfg.Store.FindSession(ctx, token, s.d.cfg.Now().UnixMilli())
	if err != nil || !ok {
		return nil, false, err
	}
	body, err := readSession(found.Body)
	if err != nil {
		return nil, false, nil
	}
	if h, ok := ctx.Value(heldKey{}).(*held); ok {
		h.Session, h.body = found, body
	}
	return found.Body, true, nil
}

// CommitCtx implements scs.CtxStore.
func (s sessionStore) CommitCtx(ctx context.Context, token string, b []byte, expiry time.Time) error {
	body, err := readSession(b)
	if err != nil {
		return err
	}
	h, _ := ctx.Value(heldKey{}).(*held)
	if h == nil {
		h = new(held)
	}
	next := account.Session{ID: token, UserID: body.Texts[sessionUser], Body: b, ExpiresAt: expiry.UnixMilli()}
	err = s.save(ctx, h, next)
	sameToken := h.ID == next.ID || h.ID == ""
	if err != nil && !errors.Is(err, errSessionKept) && sameToken && h.body.remembersAsMuchAs(body) {
		s.d.cfg.Log.Warn("session not renewed", "error", err)
		return errSessionKept
	}
	return err
}

// save stores next, which was h before if it has the same id.
func (s sessionStore) save(ctx context.Context, h *held, next account.Session) error {
	if h.ID == next.ID {
		if bytes.Equal(h.Body, next.Body) && next.ExpiresAt-h.ExpiresAt < sessionGrain.Milliseconds() {
			return errSessionKept
		}
		alive, err := s.d.cfg.Store.RenewSession(ctx, next)
		if err == nil && !alive {
			err = errSessionKept // another request has ended it
		}
		return err
	}
	return s.d.cfg.Store.SaveSession(ctx, next)
}

// remembersAsMuchAs says whether nothing is lost but a sentence and a later end
// if next is not stored in the place of b.
func (b sessionBody) remembersAsMuchAs(next sessionBody) bool {
	lasting := func(b sessionBody) map[string]string {
		texts := maps.Clone(b.Texts)
		delete(texts, sessionNotice)
		return texts
	}
	return maps.Equal(lasting(b), lasting(next)) && maps.Equal(b.Numbers, next.Numbers)
}

// DeleteCtx implements scs.CtxStore.
func (s sessionStore) DeleteCtx(ctx context.Context, token string) error {
	return s.d.cfg.Store.DeleteSession(ctx, token)
}

// Find implements scs.Store; scs calls FindCtx.
func (s sessionStore) Find(token string) ([]byte, bool, error) {
	return s.FindCtx(context.Background(), token)
}

// Commit implements scs.Store; scs calls CommitCtx.
func (s sessionStore) Commit(token string, b []byte, expiry time.Time) error {
	return s.CommitCtx(context.Background(), token, b, expiry)
}

// Delete implements scs.Store; scs calls DeleteCtx.
func (s sessionStore) Delete(token string) error { return s.DeleteCtx(context.Background(), token) }

package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/alexedwards/scs/v2"

	"gamedex/internal/account"
)

// sessionCodec encodes a session as JSON: readable, and the same bytes for the
// same values.
type sessionCodec struct{}

// sessionVersion is that of sessionBody. Bodies of other versions are ignored.
const sessionVersion = 1

type sessionBody struct {
	Version  int               `json:"version"`
	Deadline int64             `json:"deadline"` // Unix milliseconds
	Texts    map[string]string `json:"texts,omitempty"`
	Numbers  map[string]int64  `json:"numbers,omitempty"`
}

// Encode implements scs.Codec. Values are strings and int64s.
func (sessionCodec) Encode(deadline time.Time, values map[string]any) ([]byte, error) {
	body := sessionBody{Version: sessionVersion, Deadline: deadline.UnixMilli(), Texts: map[string]string{}, Numbers: map[string]int64{}}
	for name, value := range values {
		switch value := value.(type) {
		case string:
			body.Texts[name] = value
		case int64:
			body.Numbers[name] = value
		default:
			return nil, fmt.Errorf("session value %s is a %T: must be a string or an int64", name, value)
		}
	}
	return json.Marshal(body)
}

// Decode implements scs.Codec.
func (sessionCodec) Decode(b []byte) (time.Time, map[string]any, error) {
	body, err := parseSession(b)
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

func parseSession(b []byte) (body sessionBody, err error) {
	if err := json.Unmarshal(b, &body); err != nil {
		return sessionBody{}, fmt.Errorf("read session: %w", err)
	}
	if body.Version != sessionVersion {
		return sessionBody{}, fmt.Errorf("read session: version is %d: must be %d", body.Version, sessionVersion)
	}
	return body, nil
}

// sessionStore adapts the Repository to scs.
type sessionStore struct {
	scs.Store // nil: scs calls the methods with a context
	site      *Site
}

// loadedSession is the stored session that a request came with. It shows whether
// the session has to be stored again, and keeps a session from coming back that
// another request has ended meanwhile.
type loadedSession struct {
	account.Session
	body sessionBody
}

type loadedKey struct{}

// errSessionUnchanged means that neither the database nor the browser needs a change.
var errSessionUnchanged = errors.New("the session is unchanged")

// FindCtx implements scs.CtxStore. A body that cannot be read, because another
// version of the program wrote it, is not a session.
func (s sessionStore) FindCtx(ctx context.Context, token string) ([]byte, bool, error) {
	found, ok, err := s.site.Repository.FindSession(ctx, token, s.site.Now().UnixMilli())
	if err != nil || !ok {
		return nil, false, err
	}
	body, err := parseSession(found.Body)
	if err != nil {
		return nil, false, nil
	}
	loaded := ctx.Value(loadedKey{}).(*loadedSession)
	loaded.Session, loaded.body = found, body
	return found.Body, true, nil
}

// CommitCtx implements scs.CtxStore. Nothing but a later end or a notice may be
// lost if it fails: then it waits for a short time only, and the page continues.
func (s sessionStore) CommitCtx(ctx context.Context, token string, b []byte, _ time.Time) error {
	body, err := parseSession(b)
	if err != nil {
		return err
	}
	loaded := ctx.Value(loadedKey{}).(*loadedSession)
	end := s.site.sessionEnd(time.UnixMilli(body.Deadline))
	next := account.Session{ID: token, UserID: body.Texts[sessionUser], Body: b, ExpiresAt: end.UnixMilli()}
	oldTexts, newTexts := maps.Clone(loaded.body.Texts), maps.Clone(body.Texts)
	delete(oldTexts, sessionNotice)
	delete(newTexts, sessionNotice)
	optional := (loaded.ID == next.ID || loaded.ID == "") && maps.Equal(oldTexts, newTexts) && maps.Equal(loaded.body.Numbers, body.Numbers)
	if optional {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, renewalWait)
		defer cancel()
	}
	alive := true
	switch {
	case loaded.ID != next.ID:
		err = s.site.Repository.SaveSession(ctx, next)
	case bytes.Equal(loaded.Body, next.Body) && next.ExpiresAt-loaded.ExpiresAt < sessionGrain.Milliseconds():
		return errSessionUnchanged
	default:
		alive, err = s.site.Repository.RenewSession(ctx, next)
	}
	if err == nil && !alive {
		return errSessionUnchanged // another request has ended it
	}
	if err != nil && optional {
		s.site.Log.Warn("session not renewed", "error", err)
		return errSessionUnchanged
	}
	return err
}

// DeleteCtx implements scs.CtxStore.
func (s sessionStore) DeleteCtx(ctx context.Context, token string) error {
	return s.site.Repository.DeleteSession(ctx, token)
}

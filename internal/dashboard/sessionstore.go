package dashboard

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	"gamedex/internal/account"
)

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
	optional := (h.ID == next.ID || h.ID == "") && h.body.remembersAsMuchAs(body)
	if optional {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, renewalWait)
		defer cancel()
	}
	err = s.save(ctx, h, next)
	if err != nil && !errors.Is(err, errSessionKept) && optional {
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

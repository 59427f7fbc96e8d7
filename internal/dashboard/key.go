package dashboard

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/dashboard/web"
)

func (d *Dashboard) handleKey() {
	d.site.Handle("GET /keys", web.SignedIn, d.keys)
	d.site.Handle("GET /keys/new", web.SignedIn, d.newKey)
	d.site.Handle("POST /keys/new", web.SignedIn, d.createKey)
	d.site.Handle("GET /keys/{id}", web.SignedIn, d.key)
	d.site.Handle("POST /keys/{id}/name", web.SignedIn, d.renameKey)
	d.site.Handle("GET /keys/{id}/revoke", web.SignedIn, d.askRevokeKey)
	d.site.Handle("POST /keys/{id}/revoke", web.SignedIn, d.revokeKey)
}

// ownKey is the visitor's key that the path names. Another user's is not
// found, as if there were none: only own keys are looked through.
func (d *Dashboard) ownKey(v *web.Visit) (account.Key, error) {
	keys, err := d.cfg.Store.KeysOf(v.Context(), v.User.ID)
	if err != nil {
		return account.Key{}, web.StoreError(err)
	}
	id := v.R.PathValue("id")
	i := slices.IndexFunc(keys, func(k account.Key) bool { return k.ID == id })
	if i < 0 {
		return account.Key{}, web.NotFound()
	}
	return keys[i], nil
}

// keys lists the visitor's keys.
func (d *Dashboard) keys(v *web.Visit) error {
	keys, err := d.cfg.Store.KeysOf(v.Context(), v.User.ID)
	if err != nil {
		return web.StoreError(err)
	}
	return v.Render(http.StatusOK, "keys", d.keysView(v, keys))
}

// newKey shows the form for a key.
func (d *Dashboard) newKey(v *web.Visit) error {
	form := keyForm{Catalog: true, Account: true, Expires: "never"}
	return d.showKeyForm(v, http.StatusOK, form)
}

// showKeyForm shows the form with what was entered, ready to make one key.
func (d *Dashboard) showKeyForm(v *web.Visit, status int, form keyForm) (err error) {
	if form.Once, err = newOnce(v.Now(), d.site.Rand); err != nil {
		return err
	}
	form.Today = time.UnixMilli(v.Now()).UTC().Format(time.DateOnly)
	return v.Render(status, "key-new", form)
}

// createKey makes a key and shows its token, which is in no address and in no
// session: a form that is sent again makes no second key and shows no token.
func (d *Dashboard) createKey(v *web.Visit) error {
	form := readKeyForm(v)
	id, ok := onceKeyID(form.Once, v.User.ID, v.Now())
	if !ok {
		form.Wrong = web.FieldErrors{"form": "keys.form-old"}
		return d.showKeyForm(v, http.StatusUnprocessableEntity, form)
	}
	draft, wrong := form.draft(v.User.ID, v.Now())
	if wrong != nil {
		form.Wrong = wrong
		return d.showKeyForm(v, http.StatusUnprocessableEntity, form)
	}
	key, token, err := draft.Issue(v.Now(), d.site.Rand)
	if err != nil {
		return fmt.Errorf("issue a key: %w", err)
	}
	key.ID = id
	if err := d.cfg.Store.CreateKey(v.Context(), key, v.By()); err != nil {
		return d.keyNotCreated(v, form, id, err)
	}
	curl := d.tryKey(token, key.Permissions)
	return v.Render(http.StatusOK, "key-created", createdView{ID: key.ID, Name: key.Name, Token: token, Curl: curl})
}

// keyNotCreated tells why there is no new key: often there is one already, made
// by the same form.
func (d *Dashboard) keyNotCreated(v *web.Visit, form keyForm, id string, err error) error {
	made, findErr := d.cfg.Store.FindKeyByID(v.Context(), id)
	switch {
	case findErr == nil && made.UserID == v.User.ID:
		return v.Render(http.StatusConflict, "key-created", createdView{ID: made.ID, Name: made.Name})
	case errors.Is(err, account.ErrTooManyKeys):
		form.Wrong = web.FieldErrors{"form": "keys.too-many"}
		return d.showKeyForm(v, http.StatusUnprocessableEntity, form)
	}
	return web.StoreError(err)
}

// onceLifetime is how long a form may be sent after it was shown.
const onceLifetime = 24 * time.Hour

// newOnce marks a form: when it was shown, and something random.
func newOnce(now int64, rand io.Reader) (string, error) {
	var raw [12]byte
	if _, err := io.ReadFull(rand, raw[:]); err != nil {
		return "", fmt.Errorf("draw the mark of a form: %w", err)
	}
	return strconv.FormatInt(now, 36) + "." + base64.RawURLEncoding.EncodeToString(raw[:]), nil
}

// onceKeyID is the id of the key that a form makes. It follows from the mark
// and the user alone, so that however often, at once or through whichever node
// the form is sent, the database lets one key be. A hash keeps users from
// choosing ids. Not ok is a mark that is none, too old or of the future.
func onceKeyID(once, userID string, now int64) (id string, ok bool) {
	text, random, _ := strings.Cut(once, ".")
	shown, err := strconv.ParseInt(text, 36, 64)
	if err != nil || len(random) != 16 || shown <= now-onceLifetime.Milliseconds() || shown > now+time.Minute.Milliseconds() {
		return "", false
	}
	sum := sha256.Sum256([]byte("key of form " + once + " of " + userID))
	id, err = account.NewKeyID(shown, bytes.NewReader(sum[:]))
	return id, err == nil
}

// key shows everything of a key.
func (d *Dashboard) key(v *web.Visit) error {
	k, err := d.ownKey(v)
	if err != nil {
		return err
	}
	return d.showOwnKey(v, http.StatusOK, k, k.Name, nil)
}

// showOwnKey shows a key, with name and what is wrong with it in its form.
func (d *Dashboard) showOwnKey(v *web.Visit, status int, k account.Key, name string, wrong web.FieldErrors) error {
	usage, err := d.usageOf(v, []account.Key{k})
	if err != nil {
		return err
	}
	return v.Render(status, "key", keyPage{Key: d.keyView(v, k), NewName: name, Wrong: wrong, Usage: usage})
}

// renameKey gives a key another name.
func (d *Dashboard) renameKey(v *web.Visit) error {
	k, err := d.ownKey(v)
	if err != nil {
		return err
	}
	name := v.Form("name")
	if err := (account.Draft{Name: name}).Check(v.Now()); err != nil {
		wrong, ok := web.FieldErrorsOf(err)
		if !ok {
			return err
		}
		return d.showOwnKey(v, http.StatusUnprocessableEntity, k, name, wrong)
	}
	if _, err := d.cfg.Store.RenameKey(v.Context(), k.ID, name, v.By()); err != nil {
		return web.StoreError(err)
	}
	return v.Done("/keys/"+k.ID, "keys.renamed", name)
}

// askRevokeKey asks once whether a key is to end.
func (d *Dashboard) askRevokeKey(v *web.Visit) error {
	k, err := d.ownKey(v)
	if err != nil {
		return err
	}
	if k.RevokedAt != 0 {
		return v.Redirect("/keys/" + k.ID)
	}
	return v.Render(http.StatusOK, "key-revoke", d.keyView(v, k))
}

// revokeKey ends a key.
func (d *Dashboard) revokeKey(v *web.Visit) error {
	k, err := d.ownKey(v)
	if err != nil {
		return err
	}
	if k, err = d.cfg.Store.RevokeKey(v.Context(), k.ID, v.By()); err != nil {
		return web.StoreError(err)
	}
	return v.Done("/keys", "keys.revoked", k.Name)
}

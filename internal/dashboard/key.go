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
)

func keyRoutes() []route {
	return []route{
		{"GET /keys", signedIn, (*Dashboard).keys},
		{"GET /keys/new", signedIn, (*Dashboard).newKey},
		{"POST /keys/new", signedIn, (*Dashboard).createKey},
		{"GET /keys/{id}", signedIn, (*Dashboard).key},
		{"POST /keys/{id}/name", signedIn, (*Dashboard).renameKey},
		{"GET /keys/{id}/revoke", signedIn, (*Dashboard).askRevokeKey},
		{"POST /keys/{id}/revoke", signedIn, (*Dashboard).revokeKey},
	}
}

// ownKey is the visitor's key that the path names. Another user's is not
// found, as if there were none: only own keys are looked through.
func (d *Dashboard) ownKey(v *visit) (account.Key, error) {
	keys, err := d.cfg.Store.KeysOf(v.r.Context(), v.User.ID)
	if err != nil {
		return account.Key{}, stored(err)
	}
	id := v.r.PathValue("id")
	i := slices.IndexFunc(keys, func(k account.Key) bool { return k.ID == id })
	if i < 0 {
		return account.Key{}, notFoundProblem()
	}
	return keys[i], nil
}

// keys lists the visitor's keys.
func (d *Dashboard) keys(v *visit) error {
	keys, err := d.cfg.Store.KeysOf(v.r.Context(), v.User.ID)
	if err != nil {
		return stored(err)
	}
	return v.render(http.StatusOK, "keys", d.keysView(v, keys))
}

// newKey shows the form for a key.
func (d *Dashboard) newKey(v *visit) error {
	form := keyForm{Catalog: true, Account: true, Expires: "never"}
	return d.showKeyForm(v, http.StatusOK, form)
}

// showKeyForm shows the form with what was entered, ready to make one key.
func (d *Dashboard) showKeyForm(v *visit, status int, form keyForm) (err error) {
	if form.Once, err = newOnce(v.now(), d.cfg.Rand); err != nil {
		return err
	}
	form.Today = time.UnixMilli(v.now()).UTC().Format(time.DateOnly)
	return v.render(status, "key-new", form)
}

// createKey makes a key and shows its token, which is in no address and in no
// session: a form that is sent again makes no second key and shows no token.
func (d *Dashboard) createKey(v *visit) error {
	form := readKeyForm(v)
	id, ok := onceKeyID(form.Once, v.User.ID, v.now())
	if !ok {
		form.Wrong = wrongs{"form": "keys.form-old"}
		return d.showKeyForm(v, http.StatusUnprocessableEntity, form)
	}
	draft, wrong := form.draft(v.User.ID, v.now())
	if wrong != nil {
		form.Wrong = wrong
		return d.showKeyForm(v, http.StatusUnprocessableEntity, form)
	}
	key, token, err := draft.Issue(v.now(), d.cfg.Rand)
	if err != nil {
		return fmt.Errorf("issue a key: %w", err)
	}
	key.ID = id
	if err := d.cfg.Store.CreateKey(v.r.Context(), key, v.by()); err != nil {
		return d.keyNotCreated(v, form, id, err)
	}
	curl := d.tryKey(token, key.Permissions)
	return v.render(http.StatusOK, "key-created", createdView{ID: key.ID, Name: key.Name, Token: token, Curl: curl})
}

// keyNotCreated tells why there is no new key: often there is one already, made
// by the same form.
func (d *Dashboard) keyNotCreated(v *visit, form keyForm, id string, err error) error {
	made, findErr := d.cfg.Store.FindKeyByID(v.r.Context(), id)
	switch {
	case findErr == nil && made.UserID == v.User.ID:
		return v.render(http.StatusConflict, "key-created", createdView{ID: made.ID, Name: made.Name})
	case errors.Is(err, account.ErrTooManyKeys):
		form.Wrong = wrongs{"form": "keys.too-many"}
		return d.showKeyForm(v, http.StatusUnprocessableEntity, form)
	}
	return stored(err)
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
func (d *Dashboard) key(v *visit) error {
	k, err := d.ownKey(v)
	if err != nil {
		return err
	}
	return d.showOwnKey(v, http.StatusOK, k, k.Name, nil)
}

// showOwnKey shows a key, with name and what is wrong with it in its form.
func (d *Dashboard) showOwnKey(v *visit, status int, k account.Key, name string, wrong wrongs) error {
	usage, err := d.usageOf(v, []account.Key{k})
	if err != nil {
		return err
	}
	return v.render(status, "key", keyPage{Key: d.keyView(v, k), NewName: name, Wrong: wrong, Usage: usage})
}

// renameKey gives a key another name.
func (d *Dashboard) renameKey(v *visit) error {
	k, err := d.ownKey(v)
	if err != nil {
		return err
	}
	name := v.form("name")
	if err := (account.Draft{Name: name}).Check(v.now()); err != nil {
		wrong, ok := wrongField(err)
		if !ok {
			return err
		}
		return d.showOwnKey(v, http.StatusUnprocessableEntity, k, name, wrong)
	}
	if _, err := d.cfg.Store.RenameKey(v.r.Context(), k.ID, name, v.by()); err != nil {
		return stored(err)
	}
	return v.done("/keys/"+k.ID, "keys.renamed", name)
}

// askRevokeKey asks once whether a key is to end.
func (d *Dashboard) askRevokeKey(v *visit) error {
	k, err := d.ownKey(v)
	if err != nil {
		return err
	}
	if k.RevokedAt != 0 {
		return v.redirect("/keys/" + k.ID)
	}
	return v.render(http.StatusOK, "key-revoke", d.keyView(v, k))
}

// revokeKey ends a key.
func (d *Dashboard) revokeKey(v *visit) error {
	k, err := d.ownKey(v)
	if err != nil {
		return err
	}
	if k, err = d.cfg.Store.RevokeKey(v.r.Context(), k.ID, v.by()); err != nil {
		return stored(err)
	}
	return v.done("/keys", "keys.revoked", k.Name)
}

package keys

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/quota"
)

// showKeyForm shows the form, with what is wrong with it.
func (p *Pages) showKeyForm(v *web.Visit, status int, form keyForm, wrong web.FieldErrors) (err error) {
	form.Errors = wrong
	if form.FormToken, err = newFormToken(v.Now(), p.site.Rand); err != nil {
		return err
	}
	form.Today = time.UnixMilli(v.Now()).UTC().Format(time.DateOnly)
	return v.Render(status, "key-new", form)
}

// createKey creates a key and shows its token, which no address and no session
// holds: a form that is sent again creates no second key and shows no token.
func (p *Pages) createKey(v *web.Visit) error {
	form := keyForm{FormToken: v.Form("once"), Name: v.Form("name"), Expires: v.Form("expires"), Until: v.Form("until")}
	for _, permission := range []account.Permissions{account.ReadCatalog, account.ReadAccount, account.WriteWebhooks} {
		if slices.Contains(v.R.Form["permission"], permission.String()) {
			form.Permissions |= permission
		}
	}
	id, ok := formKeyID(form.FormToken, v.User.ID, v.Now())
	if !ok {
		return p.showKeyForm(v, http.StatusUnprocessableEntity, form, web.FieldErrors{"form": "keys.form-old"})
	}
	draft, wrong := form.draft(v.User.ID, v.Now())
	if len(wrong) > 0 {
		return p.showKeyForm(v, http.StatusUnprocessableEntity, form, wrong)
	}
	key, token, err := draft.Issue(v.Now(), p.site.Rand)
	if err != nil {
		return fmt.Errorf("issue a key: %w", err)
	}
	key.ID = id
	if err := p.Repository.CreateKey(v.Context(), key, v.By()); err != nil {
		existing, findErr := p.Repository.FindKeyByID(v.Context(), id)
		switch {
		case findErr == nil && existing.UserID == v.User.ID: // the same form was sent before
			return v.Render(http.StatusConflict, "key-created", createdView{ID: existing.ID, Name: existing.Name})
		case errors.Is(err, account.ErrTooManyKeys):
			return p.showKeyForm(v, http.StatusUnprocessableEntity, form, web.FieldErrors{"form": "keys.too-many"})
		case errors.Is(err, account.ErrTooManyNewKeys):
			return p.showKeyForm(v, http.StatusTooManyRequests, form, web.FieldErrors{"form": "keys.too-many-new"})
		}
		return web.DatabaseError(err)
	}
	return v.Render(http.StatusOK, "key-created", createdView{ID: key.ID, Name: key.Name, Token: token, Commands: p.FirstRequests(v, token, key.Permissions)})
}

// formLifetime is how long a form may be sent after it was shown.
const formLifetime = 24 * time.Hour

func newFormToken(now int64, rand io.Reader) (string, error) {
	var raw [12]byte
	if _, err := io.ReadFull(rand, raw[:]); err != nil {
		return "", fmt.Errorf("generate a form token: %w", err)
	}
	return strconv.FormatInt(now, 36) + "." + base64.RawURLEncoding.EncodeToString(raw[:]), nil
}

// formKeyID returns the id of the key that a form creates. It depends on nothing
// but the form token and the user: however often a form is sent, and to whichever
// node, the database accepts one key. The hash keeps users from choosing ids. It
// reports false for a token that is malformed, too old or from the future.
func formKeyID(formToken, userID string, now int64) (id string, ok bool) {
	text, random, _ := strings.Cut(formToken, ".")
	shown, err := strconv.ParseInt(text, 36, 64)
	if err != nil || len(random) != 16 || shown <= now-formLifetime.Milliseconds() || shown > now+time.Minute.Milliseconds() {
		return "", false
	}
	sum := sha256.Sum256([]byte("key of form " + formToken + " of " + userID))
	id, err = account.NewKeyID(shown, bytes.NewReader(sum[:]))
	return id, err == nil
}

type keyForm struct {
	FormToken   string
	Name        string
	Permissions account.Permissions
	Expires     string // "never", "30", "90", "year" or "date"
	Until       string // the last day, for "date"
	Today       string // the first day that may be chosen
	Errors      web.FieldErrors
}

// May reports whether a permission is ticked.
func (f keyForm) May(name string) bool { return slices.Contains(f.Permissions.List(), name) }

func (f keyForm) draft(userID string, now int64) (account.Draft, web.FieldErrors) {
	draft := account.Draft{Name: f.Name, UserID: userID, Permissions: f.Permissions}
	wrong := web.FieldErrors{}
	if draft.Permissions == 0 { // in account, none means the default
		wrong["permissions"] = "wrong.permissions"
	}
	var ok bool
	if draft.ExpiresAt, ok = f.expiresAt(now); !ok {
		wrong["expires"] = "wrong.expires"
	}
	if f.Until != "" && f.Expires != "date" { // unclear which of both is meant
		wrong["expires"] = "keys.expires-unclear"
	}
	if more, bad := web.FieldErrorsOf(draft.Check(now)); bad {
		maps.Copy(wrong, more)
	}
	return draft, wrong
}

// expiresAt returns when the key expires; 0 is never. A last day counts to its
// end, in UTC.
func (f keyForm) expiresAt(now int64) (at int64, ok bool) {
	from := time.UnixMilli(now).UTC()
	switch f.Expires {
	case "never":
		return 0, true
	case "30":
		return from.AddDate(0, 0, 30).UnixMilli(), true
	case "90":
		return from.AddDate(0, 0, 90).UnixMilli(), true
	case "year":
		return from.AddDate(1, 0, 0).UnixMilli(), true
	case "date":
		day, err := time.Parse(time.DateOnly, f.Until)
		end := day.AddDate(0, 0, 1).UnixMilli() - 1
		return end, err == nil && end > now
	}
	return 0, false
}

// maxRevoked is how many revoked keys are listed, the newest. Together with as
// many others as a user may have, they fit a page of 100 KB.
const maxRevoked = 20

type listView struct {
	Keys    []View // the active ones first
	Owner   *OwnerUsedUp
	First   []Command // with the first active key; none without one
	Revoked []View    // the newest
	Older   int       // revoked keys that are not listed
}

// View is a key as pages show it. Times are Unix milliseconds.
type View struct {
	account.Key
	Status      string // word of the interface: "active"
	Badge       string // class of the badge
	Permissions []string
	OwnLimits   bool // not the default ones
	Minute, Day Gauge
	Owner       *OwnerUsedUp
}

// Gauge is a window of a key's limits, and how much of it is used.
type Gauge struct {
	Known       bool // false: the counter did not answer
	Used, Limit int
	Percent     int // 0 to 100; at least 1 unless nothing is used
	Full        bool
	ResetAt     int64
}

type keyPage struct {
	Key     View
	NewName string // in the form
	Errors  web.FieldErrors
	Usage   UsageView
}

// createdView has no token if the key was created before.
type createdView struct {
	ID, Name string
	Token    string
	Commands []Command
}

// badges are the classes of the badges. A revoked key has none.
var badges = map[account.Status]string{account.StatusActive: "good", account.StatusSuspended: "bad", account.StatusExpired: "warn"}

// View returns a key with what is used of its limits now.
func (p *Pages) View(v *web.Visit, k account.Key) View {
	status := k.Status(v.Now())
	k.LastUsedAt = max(k.LastUsedAt, p.LastUsed(k.Hash))
	view := View{
		Key: k, Status: string(status), Badge: badges[status], Permissions: k.Permissions.List(),
		OwnLimits: k.LimitMinute != 0 || k.LimitDay != 0,
	}
	view.Minute, view.Day, view.Owner = p.gauges(v, k)
	return view
}

// OwnerUsedUp is a window in which all keys of an owner together have used up what
// they may use, while the key itself has requests left.
type OwnerUsedUp struct {
	Day     bool // false: the minute
	Limit   int
	ResetAt int64
}

// gauges returns what is used of a key's limits, and the window that its owner has
// used up; nil if there is none. If the counter does not answer, the page still shows
// the rest: the key may have to be revoked just then.
func (p *Pages) gauges(v *web.Visit, k account.Key) (minute, day Gauge, owner *OwnerUsedUp) {
	limits := quota.Limits{Minute: cmp.Or(k.LimitMinute, p.Limits.Minute), Day: cmp.Or(k.LimitDay, p.Limits.Day)}
	all := quota.Owner{ID: k.UserID}
	if all.ID != "" {
		all.Limits.Minute, all.Limits.Day = p.OwnerLimits(all.ID, p.Limits.Minute, p.Limits.Day)
	}
	now, err := p.Counter.Look(v.Context(), k.ID, limits, all, v.Now())
	if err != nil {
		p.site.Log.Warn("usage of a key is unknown", "key_id", k.ID, "error", err)
		return Gauge{Limit: limits.Minute}, Gauge{Limit: limits.Day}, nil
	}
	if w := now.OwnerWindow; now.ByOwner && w.Limit > 0 { // 0: none of their keys is usable
		owner = &OwnerUsedUp{Day: now.Exhausted == quota.ExhaustedDay, Limit: w.Limit, ResetAt: w.ResetAt}
	}
	return gaugeOf(now.Minute), gaugeOf(now.Day), owner
}

func gaugeOf(w quota.Window) Gauge {
	g := Gauge{Known: true, Used: w.Used, Limit: w.Limit, ResetAt: w.ResetAt, Full: w.Used >= w.Limit}
	if w.Used > 0 && w.Limit > 0 {
		g.Percent = max(1, w.Used*100/w.Limit)
	}
	return g
}

// accountPath is the path of the API that shows a key its own details.
const accountPath = "/api/v1/account/me"

package dashboard

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"gamedex/internal/account"
	"gamedex/internal/quota"
)

// ownedKey is a key as the administration shows it.
type ownedKey struct {
	keyView
	Owner who // zero: nobody's
}

// allKeysView is what admin-keys.html shows.
type allKeysView struct {
	Query, After string
	Keys         []ownedKey
	Next         string // the id after which the next page begins; "": this is the last
}

// allKeys lists everybody's keys.
func (d *Dashboard) allKeys(v *visit) error {
	view := allKeysView{Query: v.search("q"), After: v.search("after")}
	found, err := d.cfg.Store.SearchKeys(v.r.Context(), view.Query, view.After, keysPerPage+1)
	if err != nil {
		return stored(err)
	}
	if len(found) > keysPerPage {
		found = found[:keysPerPage]
		view.Next = found[keysPerPage-1].ID
	}
	for _, k := range found {
		view.Keys = append(view.Keys, d.ownedKey(v, k.Key, k.Email))
	}
	return v.render(http.StatusOK, "admin-keys", view)
}

func (d *Dashboard) ownedKey(v *visit, k account.Key, owner string) ownedKey {
	if k.SuspendReason == account.SuspendedWithUser {
		k.SuspendReason = v.T("admin.key.with-user")
	}
	return ownedKey{d.keyView(v, k), who{k.UserID, owner}}
}

// anyKeyView is what admin-key.html shows.
type anyKeyView struct {
	Key         ownedKey
	Default     quota.Limits
	LimitMinute string // the key's own limits as they are entered; "": the default
	LimitDay    string
	Reason      string // to suspend or resume it, as it was entered
	Wrong       wrongs
	Usage       usageView
}

// anyKey shows a key, whoever's it is.
func (d *Dashboard) anyKey(v *visit) error {
	k, err := d.keyOf(v)
	if err != nil {
		return err
	}
	return d.showKey(v, http.StatusOK, k, func(*anyKeyView) {})
}

// keyOf is the key that the address names.
func (d *Dashboard) keyOf(v *visit) (account.Key, error) {
	k, err := d.cfg.Store.FindKeyByID(v.r.Context(), v.r.PathValue("id"))
	return k, stored(err)
}

// ownedKeyOf finds out whose a key is.
func (d *Dashboard) ownedKeyOf(v *visit, k account.Key) (ownedKey, error) {
	owner, err := d.people(v).who(k.UserID)
	return d.ownedKey(v, k, owner.Email), err
}

// showKey shows a key; change puts in what was entered and is not accepted.
func (d *Dashboard) showKey(v *visit, status int, k account.Key, change func(*anyKeyView)) error {
	owned, err := d.ownedKeyOf(v, k)
	if err != nil {
		return err
	}
	usage, err := d.usageOf(v, []account.Key{k})
	if err != nil {
		return err
	}
	view := anyKeyView{Key: owned, Default: d.cfg.Limits, Usage: usage,
		LimitMinute: ownLimit(k.LimitMinute), LimitDay: ownLimit(k.LimitDay)}
	change(&view)
	return v.render(status, "admin-key", view)
}

func ownLimit(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func keyPath(k account.Key) string { return "/admin/keys/" + k.ID }

// maxReasonLen is how long the reason of a suspension may be, in code points.
const maxReasonLen = 200

// suspendKey stops a key until it is resumed. Its owner reads the reason.
func (d *Dashboard) suspendKey(v *visit) error {
	k, err := d.liveKeyOf(v)
	if err != nil {
		return err
	}
	reason := v.form("reason")
	if !goodReason(reason) {
		return d.wrongReason(v, k, reason)
	}
	if _, err := d.cfg.Store.SuspendKey(v.r.Context(), k.ID, reason, v.byWith(reason)); err != nil {
		return stored(err)
	}
	return v.done(keyPath(k), "admin.key.is-suspended", k.Name)
}

func (d *Dashboard) wrongReason(v *visit, k account.Key, reason string) error {
	return d.showKey(v, http.StatusUnprocessableEntity, k, func(view *anyKeyView) {
		view.Reason, view.Wrong = shortened(reason, maxReasonLen), wrongs{"reason": "admin.key.wrong-reason"}
	})
}

// goodReason refuses besides what cannot be shown the words that mark keys
// which wait for their user.
func goodReason(s string) bool {
	n := utf8.RuneCountInString(s)
	return 1 <= n && n <= maxReasonLen && utf8.ValidString(s) && s != account.SuspendedWithUser &&
		!strings.ContainsFunc(s, func(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp) })
}

// liveKeyOf is keyOf for what cannot be done to a key that was revoked.
func (d *Dashboard) liveKeyOf(v *visit) (account.Key, error) {
	k, err := d.keyOf(v)
	if err == nil && k.RevokedAt != 0 {
		err = &problem{status: http.StatusUnprocessableEntity, message: "admin.key.revoked-already"}
	}
	return k, err
}

// resumeKey lets a suspended key work again, unless its user is disabled. A
// reason is for the audit log, and may be left out.
func (d *Dashboard) resumeKey(v *visit) error {
	k, err := d.liveKeyOf(v)
	if err != nil {
		return err
	}
	reason := v.form("reason")
	if reason != "" && !goodReason(reason) {
		return d.wrongReason(v, k, reason)
	}
	if k, err = d.cfg.Store.ResumeKey(v.r.Context(), k.ID, v.byWith(reason)); err != nil {
		return stored(err)
	}
	if k.SuspendedAt != 0 {
		return v.refused(keyPath(k), "admin.key.waits-for-user")
	}
	return v.done(keyPath(k), "admin.key.is-resumed", k.Name)
}

// setKeyLimits gives a key limits of its own, or takes them back.
func (d *Dashboard) setKeyLimits(v *visit) error {
	k, err := d.liveKeyOf(v)
	if err != nil {
		return err
	}
	minute, day := v.form("limit-minute"), v.form("limit-day")
	limits, wrong := parseLimits(minute, day)
	if wrong != nil {
		return d.showKey(v, http.StatusUnprocessableEntity, k, func(view *anyKeyView) {
			view.LimitMinute, view.LimitDay, view.Wrong = shortened(minute, maxErrorLen), shortened(day, maxErrorLen), wrong
		})
	}
	by := v.byWith("minute " + cmp.Or(minute, "default") + ", day " + cmp.Or(day, "default"))
	if _, err := d.cfg.Store.SetKeyLimits(v.r.Context(), k.ID, limits.Minute, limits.Day, by); err != nil {
		return stored(err)
	}
	return v.done(keyPath(k), "admin.key.limits-set", k.Name)
}

// parseLimits reads two limits; an empty one is 0, the default.
func parseLimits(minute, day string) (l quota.Limits, w wrongs) {
	read := func(field, text string, highest int, to *int) {
		if text == "" {
			return
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > highest {
			if w == nil {
				w = wrongs{}
			}
			w[field] = "wrong." + field
			return
		}
		*to = n
	}
	read("limit-minute", minute, account.MaxLimitMinute, &l.Minute)
	read("limit-day", day, account.MaxLimitDay, &l.Day)
	return l, w
}

// askRevokeAnyKey says what revoking a key does, and asks.
func (d *Dashboard) askRevokeAnyKey(v *visit) error {
	k, err := d.liveKeyOf(v)
	if err != nil {
		return err
	}
	owned, err := d.ownedKeyOf(v, k)
	if err != nil {
		return err
	}
	return v.render(http.StatusOK, "admin-key-revoke", owned)
}

// revokeAnyKey ends a key for good.
func (d *Dashboard) revokeAnyKey(v *visit) error {
	k, err := d.keyOf(v)
	if err != nil {
		return err
	}
	if _, err := d.cfg.Store.RevokeKey(v.r.Context(), k.ID, v.by()); err != nil {
		return stored(err)
	}
	return v.done(keyPath(k), "admin.key.is-revoked", k.Name)
}

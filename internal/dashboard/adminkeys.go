package dashboard

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"gamedex/internal/account"
	"gamedex/internal/dashboard/keys"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/quota"
)

// ownedKey is a key as the administration shows it.
type ownedKey struct {
	keys.View
	Owner who // zero: nobody's
}

// allKeysView is what admin-keys.html shows.
type allKeysView struct {
	Query, After string
	Keys         []ownedKey
	Next         string // the id after which the next page begins; "": this is the last
}

// allKeys lists everybody's keys.
func (d *Dashboard) allKeys(v *web.Visit) error {
	view := allKeysView{Query: d.search(v, "q"), After: d.search(v, "after")}
	found, err := d.cfg.Store.SearchKeys(v.Context(), view.Query, view.After, keysPerPage+1)
	if err != nil {
		return web.StoreError(err)
	}
	if len(found) > keysPerPage {
		found = found[:keysPerPage]
		view.Next = found[keysPerPage-1].ID
	}
	for _, k := range found {
		view.Keys = append(view.Keys, d.ownedKey(v, k.Key, k.Email))
	}
	return v.Render(http.StatusOK, "admin-keys", view)
}

func (d *Dashboard) ownedKey(v *web.Visit, k account.Key, owner string) ownedKey {
	if k.SuspendReason == account.SuspendedWithUser {
		k.SuspendReason = v.T("admin.key.with-user")
	}
	return ownedKey{d.keys.View(v, k), who{k.UserID, owner}}
}

// anyKeyView is what admin-key.html shows.
type anyKeyView struct {
	Key         ownedKey
	Default     quota.Limits
	LimitMinute string // the key's own limits as they are entered; "": the default
	LimitDay    string
	Reason      string // to suspend or resume it, as it was entered
	Wrong       web.FieldErrors
	Usage       keys.UsageView
}

// anyKey shows a key, whoever's it is.
func (d *Dashboard) anyKey(v *web.Visit) error {
	k, err := d.keyOf(v)
	if err != nil {
		return err
	}
	return d.showKey(v, http.StatusOK, k, func(*anyKeyView) {})
}

// keyOf is the key that the address names.
func (d *Dashboard) keyOf(v *web.Visit) (account.Key, error) {
	k, err := d.cfg.Store.FindKeyByID(v.Context(), v.R.PathValue("id"))
	return k, web.StoreError(err)
}

// ownedKeyOf finds out whose a key is.
func (d *Dashboard) ownedKeyOf(v *web.Visit, k account.Key) (ownedKey, error) {
	owner, err := d.people(v).who(k.UserID)
	return d.ownedKey(v, k, owner.Email), err
}

// showKey shows a key; change puts in what was entered and is not accepted.
func (d *Dashboard) showKey(v *web.Visit, status int, k account.Key, change func(*anyKeyView)) error {
	owned, err := d.ownedKeyOf(v, k)
	if err != nil {
		return err
	}
	usage, err := d.keys.Usage(v, []account.Key{k})
	if err != nil {
		return err
	}
	view := anyKeyView{Key: owned, Default: d.cfg.Keys.Limits, Usage: usage,
		LimitMinute: ownLimit(k.LimitMinute), LimitDay: ownLimit(k.LimitDay)}
	change(&view)
	return v.Render(status, "admin-key", view)
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
func (d *Dashboard) suspendKey(v *web.Visit) error {
	k, err := d.liveKeyOf(v)
	if err != nil {
		return err
	}
	reason := v.Form("reason")
	if !goodReason(reason) {
		return d.wrongReason(v, k, reason)
	}
	if _, err := d.cfg.Store.SuspendKey(v.Context(), k.ID, reason, v.ByWith(reason)); err != nil {
		return web.StoreError(err)
	}
	return v.Done(keyPath(k), "admin.key.is-suspended", k.Name)
}

func (d *Dashboard) wrongReason(v *web.Visit, k account.Key, reason string) error {
	return d.showKey(v, http.StatusUnprocessableEntity, k, func(view *anyKeyView) {
		view.Reason, view.Wrong = shortened(reason, maxReasonLen), web.FieldErrors{"reason": "admin.key.wrong-reason"}
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
func (d *Dashboard) liveKeyOf(v *web.Visit) (account.Key, error) {
	k, err := d.keyOf(v)
	if err == nil && k.RevokedAt != 0 {
		err = &web.Problem{Status: http.StatusUnprocessableEntity, Message: "admin.key.revoked-already"}
	}
	return k, err
}

// resumeKey lets a suspended key work again, unless its user is disabled. A
// reason is for the audit log, and may be left out.
func (d *Dashboard) resumeKey(v *web.Visit) error {
	k, err := d.liveKeyOf(v)
	if err != nil {
		return err
	}
	reason := v.Form("reason")
	if reason != "" && !goodReason(reason) {
		return d.wrongReason(v, k, reason)
	}
	if k, err = d.cfg.Store.ResumeKey(v.Context(), k.ID, v.ByWith(reason)); err != nil {
		return web.StoreError(err)
	}
	if k.SuspendedAt != 0 {
		return v.Refused(keyPath(k), "admin.key.waits-for-user")
	}
	return v.Done(keyPath(k), "admin.key.is-resumed", k.Name)
}

// setKeyLimits gives a key limits of its own, or takes them back.
func (d *Dashboard) setKeyLimits(v *web.Visit) error {
	k, err := d.liveKeyOf(v)
	if err != nil {
		return err
	}
	minute, day := v.Form("limit-minute"), v.Form("limit-day")
	limits, wrong := parseLimits(minute, day)
	if wrong != nil {
		return d.showKey(v, http.StatusUnprocessableEntity, k, func(view *anyKeyView) {
			view.LimitMinute, view.LimitDay, view.Wrong = shortened(minute, maxErrorLen), shortened(day, maxErrorLen), wrong
		})
	}
	by := v.ByWith("minute " + cmp.Or(minute, "default") + ", day " + cmp.Or(day, "default"))
	if _, err := d.cfg.Store.SetKeyLimits(v.Context(), k.ID, limits.Minute, limits.Day, by); err != nil {
		return web.StoreError(err)
	}
	return v.Done(keyPath(k), "admin.key.limits-set", k.Name)
}

// parseLimits reads two limits; an empty one is 0, the default.
func parseLimits(minute, day string) (l quota.Limits, w web.FieldErrors) {
	read := func(field, text string, highest int, to *int) {
		if text == "" {
			return
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > highest {
			if w == nil {
				w = web.FieldErrors{}
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
func (d *Dashboard) askRevokeAnyKey(v *web.Visit) error {
	k, err := d.liveKeyOf(v)
	if err != nil {
		return err
	}
	owned, err := d.ownedKeyOf(v, k)
	if err != nil {
		return err
	}
	return v.Render(http.StatusOK, "admin-key-revoke", owned)
}

// revokeAnyKey ends a key for good.
func (d *Dashboard) revokeAnyKey(v *web.Visit) error {
	k, err := d.keyOf(v)
	if err != nil {
		return err
	}
	if _, err := d.cfg.Store.RevokeKey(v.Context(), k.ID, v.By()); err != nil {
		return web.StoreError(err)
	}
	return v.Done(keyPath(k), "admin.key.is-revoked", k.Name)
}

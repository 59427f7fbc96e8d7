package dashboard

import (
	"maps"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/quota"
)

// maxRevoked is how many revoked keys are listed: the newest. A page of 100 KB
// has room for these and for as many working ones as a user may have.
const maxRevoked = 20

// keysView is what keys.html shows.
type keysView struct {
	Keys    []keyView // the active ones first
	Revoked []keyView // the newest
	Older   int       // revoked keys that are not listed
}

// keyView is a key as pages show it. Times are Unix milliseconds.
type keyView struct {
	account.Key
	Status      string // word of the interface: "active"
	Badge       string // class of the badge
	Permissions []string
	OwnLimits   bool // not the default ones
	Minute, Day gauge
}

// gauge is a window with what is used of it.
type gauge struct {
	Known       bool // false: the counter does not answer
	Used, Limit int
	Percent     int // 0 to 100; more than nothing is 1 at least
	Full        bool
	ResetAt     int64
}

// keyPage is what key.html shows.
type keyPage struct {
	Key     keyView
	NewName string // in the form
	Wrong   web.FieldErrors
	Usage   usageView
}

// createdView is what key-created.html shows. Without a token the key was made
// before.
type createdView struct {
	ID, Name    string
	Token, Curl string
}

func (d *Dashboard) keysView(v *web.Visit, keys []account.Key) keysView {
	var active, others []keyView
	var view keysView
	for _, k := range keys {
		switch status := k.Status(v.Now()); {
		case status == account.StatusRevoked && len(view.Revoked) == maxRevoked:
			view.Older++
		case status == account.StatusRevoked:
			view.Revoked = append(view.Revoked, keyView{Key: k})
		case status == account.StatusActive:
			active = append(active, d.keyView(v, k))
		default:
			others = append(others, d.keyView(v, k))
		}
	}
	view.Keys = append(active, others...)
	return view
}

// keyView is everything of a key, with what it has spent now.
func (d *Dashboard) keyView(v *web.Visit, k account.Key) keyView {
	status := k.Status(v.Now())
	view := keyView{
		Key: k, Status: string(status), Badge: keyBadge(status), Permissions: k.Permissions.List(),
		OwnLimits: k.LimitMinute != 0 || k.LimitDay != 0,
	}
	view.Minute, view.Day = d.spent(v, k)
	return view
}

// keyBadge is the class of the badge for a status.
func keyBadge(status account.Status) string {
	switch status {
	case account.StatusActive:
		return "good"
	case account.StatusSuspended:
		return "bad"
	case account.StatusExpired:
		return "warn"
	}
	return ""
}

// spent is what a key has used of its windows. Where the counter does not
// answer, all else is shown: a key may have to be revoked just then.
func (d *Dashboard) spent(v *web.Visit, k account.Key) (minute, day gauge) {
	limits := d.cfg.Limits
	if k.LimitMinute != 0 {
		limits.Minute = k.LimitMinute
	}
	if k.LimitDay != 0 {
		limits.Day = k.LimitDay
	}
	now, err := d.cfg.Counter.Look(v.Context(), k.ID, limits, v.Now())
	if err != nil {
		d.site.Log.Warn("what a key has spent is not known", "key_id", k.ID, "error", err)
		return gauge{Limit: limits.Minute}, gauge{Limit: limits.Day}
	}
	return gaugeOf(now.Minute), gaugeOf(now.Day)
}

func gaugeOf(w quota.Window) gauge {
	g := gauge{Known: true, Used: w.Used, Limit: w.Limit, ResetAt: w.ResetAt, Full: w.Remaining == 0}
	if w.Used > 0 && w.Limit > 0 {
		g.Percent = max(1, w.Used*100/w.Limit)
	}
	return g
}

// keyForm is the form for a key, as it was entered.
type keyForm struct {
	Once             string // see newOnce
	Name             string
	Catalog, Account bool   // permissions
	Expires          string // "never", "30", "90", "year" or "date"
	Until            string // the last day, for "date"
	Today            string // the first day that may be chosen
	Wrong            web.FieldErrors
}

func readKeyForm(v *web.Visit) keyForm {
	form := keyForm{Once: v.Form("once"), Name: v.Form("name"), Expires: v.Form("expires"), Until: v.Form("until")}
	for _, name := range v.R.Form["permission"] {
		form.Catalog = form.Catalog || name == account.ReadCatalog.String()
		form.Account = form.Account || name == account.ReadAccount.String()
	}
	return form
}

// draft is the key that the form asks for, or what is wrong with the form.
func (f keyForm) draft(userID string, now int64) (account.Draft, web.FieldErrors) {
	draft := account.Draft{Name: f.Name, UserID: userID}
	wrong := web.FieldErrors{}
	if f.Catalog {
		draft.Permissions |= account.ReadCatalog
	}
	if f.Account {
		draft.Permissions |= account.ReadAccount
	}
	if draft.Permissions == 0 { // to account, none means all
		wrong["permissions"] = "wrong.permissions"
	}
	var ok bool
	if draft.ExpiresAt, ok = f.expiresAt(now); !ok {
		wrong["expires"] = "wrong.expires"
	}
	if f.Until != "" && f.Expires != "date" { // a day was meant, or was not
		wrong["expires"] = "keys.expires-unclear"
	}
	if more, bad := web.FieldErrorsOf(draft.Check(now)); bad {
		maps.Copy(wrong, more)
	}
	if len(wrong) > 0 {
		return draft, wrong
	}
	return draft, nil
}

// expiresAt is when the key ends: 0 is never. A day is meant with all its
// hours, in UTC.
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

// tryKey is a command that tries a key: a request that its permissions allow.
func (d *Dashboard) tryKey(token string, p account.Permissions) string {
	if p.Has(account.ReadAccount) {
		return d.curl(token, "/api/v1/account/me")
	}
	return d.curl(token, catalogPath+"platforms")
}

// curl is a command that asks this server with a token.
func (d *Dashboard) curl(token, path string) string {
	return "curl -H 'Authorization: Bearer " + token + "' \\\n  '" + d.site.PublicURL + path + "'"
}

package keys

import (
	"cmp"

	"gamedex/internal/account"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/quota"
)

// maxRevoked is how many revoked keys are listed, the newest. Together with as
// many others as a user may have, they fit a page of 100 KB.
const maxRevoked = 20

// listView is what keys.html shows.
type listView struct {
	Keys    []View // the active ones first
	Owner   *OwnerUsedUp
	Revoked []View // the newest
	Older   int    // revoked keys that are not listed
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

// keyPage is what key.html shows.
type keyPage struct {
	Key     View
	NewName string // in the form
	Errors  web.FieldErrors
	Usage   UsageView
}

// createdView is what key-created.html shows. Without a token, the key was
// created before.
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

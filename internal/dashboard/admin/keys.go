package admin

import (
	"context"
	"net/http"
	"strconv"

	"gamedex/internal/account"
	"gamedex/internal/dashboard/keys"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/quota"
)

type ownedKey struct {
	keys.View
	Owner who // zero: nobody
}

// foundView is what admin-keys.html and admin-webhooks.html show of what a search found.
type foundView[T any] struct {
	Query, After string
	Lines        []T
	Next         string // the id after which the next page begins; "": this is the last
	Stopped      bool   // the search read as much as it may before the page was full
}

// showFound renders a page of what a search finds, which lines shows.
func showFound[F, T any](v *web.Visit, page string, lines func([]F) ([]T, error),
	search func(ctx context.Context, query, after string, limit int) ([]F, string, error)) error {
	view := foundView[T]{Query: searchText(v, "q"), After: searchText(v, "after")}
	found, next, err := search(v.Context(), view.Query, view.After, perPage)
	if err != nil {
		return web.DatabaseError(err)
	}
	view.Next, view.Stopped = next, next != "" && len(found) < perPage
	if view.Lines, err = lines(found); err != nil {
		return err
	}
	return v.Render(http.StatusOK, page, view)
}

func (p *pages) listKeys(v *web.Visit) error {
	return showFound(v, "admin-keys", func(found []account.OwnedKey) (list []ownedKey, err error) {
		for _, k := range found {
			list = append(list, p.newOwnedKey(v, k.Key, k.Email))
		}
		return list, nil
	}, p.Keys.SearchKeys)
}

func (p *pages) newOwnedKey(v *web.Visit, k account.Key, owner string) ownedKey {
	if k.SuspendReason == account.SuspendedWithUser {
		k.SuspendReason = v.T("admin.key.with-user")
	}
	return ownedKey{p.keyPages.View(v, k), who{k.UserID, owner}}
}

type keyView struct {
	Key         ownedKey
	Default     quota.Limits
	LimitMinute string // as it was entered; "": the default
	LimitDay    string
	Reason      string // for suspending or resuming it, as it was entered
	Errors      web.FieldErrors
	Usage       keys.UsageView
}

func (p *pages) ownedKey(v *web.Visit, k account.Key) (ownedKey, error) {
	owner, err := p.names(v).findWho(k.UserID)
	return p.newOwnedKey(v, k, owner.Email), err
}

func (p *pages) withKey(handle func(*web.Visit, account.Key) error) func(*web.Visit) error {
	return web.WithFound(func(v *web.Visit) (account.Key, error) {
		return p.Keys.FindKeyByID(v.Context(), v.R.PathValue("id"))
	}, handle)
}

// withUnrevokedKey is withKey for what is not possible with a revoked key.
func (p *pages) withUnrevokedKey(handle func(*web.Visit, account.Key) error) func(*web.Visit) error {
	return p.withKey(func(v *web.Visit, k account.Key) error {
		if k.RevokedAt != 0 {
			return &web.Problem{Status: http.StatusUnprocessableEntity, Message: "admin.key.revoked-already"}
		}
		return handle(v, k)
	})
}

// showKey shows a key. The function change adds what the visitor entered, and what is wrong.
func (p *pages) showKey(v *web.Visit, status int, k account.Key, change func(*keyView)) error {
	owned, err := p.ownedKey(v, k)
	if err != nil {
		return err
	}
	usage, err := p.keyPages.Usage(v, []account.Key{k})
	if err != nil {
		return err
	}
	view := keyView{Key: owned, Default: p.keyPages.Limits, Usage: usage,
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

// maxLimitLen is the number of code points of a limit as it is shown again.
const maxLimitLen = 160

// suspendKey shows the reason to the owner.
func (p *pages) suspendKey(v *web.Visit, k account.Key) error {
	reason := v.Form("reason")
	if account.CheckReason(reason) != nil {
		return p.wrongReason(v, k, reason)
	}
	_, err := p.Keys.SuspendKey(v.Context(), k.ID, reason, v.ByWith(reason))
	return v.Stored(err, keyPath(k), "admin.key.is-suspended", k.Name)
}

func (p *pages) wrongReason(v *web.Visit, k account.Key, reason string) error {
	return p.showKey(v, http.StatusUnprocessableEntity, k, func(view *keyView) {
		view.Reason, view.Errors = web.Shorten(reason, account.MaxReasonLen), web.FieldErrors{"reason": "admin.key.wrong-reason"}
	})
}

// resumeKey resumes a suspended key, unless its user is disabled. The reason is
// for the audit log and optional.
func (p *pages) resumeKey(v *web.Visit, k account.Key) error {
	reason := v.Form("reason")
	if reason != "" && account.CheckReason(reason) != nil {
		return p.wrongReason(v, k, reason)
	}
	k, err := p.Keys.ResumeKey(v.Context(), k.ID, v.ByWith(reason))
	if err != nil {
		return web.DatabaseError(err)
	}
	if k.SuspendedAt != 0 {
		return v.Refused(keyPath(k), "admin.key.waits-for-user")
	}
	return v.Done(keyPath(k), "admin.key.is-resumed", k.Name)
}

func (p *pages) setKeyLimits(v *web.Visit, k account.Key) error {
	minute, day := v.Form("limit-minute"), v.Form("limit-day")
	limits, wrong := parseLimits(minute, day)
	if len(wrong) > 0 {
		return p.showKey(v, http.StatusUnprocessableEntity, k, func(view *keyView) {
			view.LimitMinute, view.LimitDay, view.Errors = web.Shorten(minute, maxLimitLen), web.Shorten(day, maxLimitLen), wrong
		})
	}
	by := v.ByWith(limitsDetail(minute, day))
	_, err := p.Keys.SetKeyLimits(v.Context(), k.ID, limits.Minute, limits.Day, by)
	return v.Stored(err, keyPath(k), "admin.key.limits-set", k.Name)
}

// parseLimits parses two limits, and says what is wrong with them. An empty one is 0, the default.
func parseLimits(minute, day string) (quota.Limits, web.FieldErrors) {
	wrong := web.FieldErrors{}
	parse := func(field, text string, highest int) int {
		n, err := strconv.Atoi(text)
		if text != "" && (err != nil || n < 1 || n > highest) {
			wrong[field] = "wrong." + field
		}
		return n
	}
	limits := quota.Limits{
		Minute: parse("limit-minute", minute, account.MaxLimitMinute),
		Day:    parse("limit-day", day, account.MaxLimitDay),
	}
	return limits, wrong
}

func (p *pages) revokeKeyPage(v *web.Visit, k account.Key) error {
	owned, err := p.ownedKey(v, k)
	if err != nil {
		return err
	}
	return v.Render(http.StatusOK, "admin-key-revoke", owned)
}

func (p *pages) revokeKey(v *web.Visit, k account.Key) error {
	_, err := p.Keys.RevokeKey(v.Context(), k.ID, v.By())
	return v.Stored(err, keyPath(k), "admin.key.is-revoked", k.Name)
}

package keys

import (
	"cmp"
	"net/http"
	"slices"

	"gamedex/internal/account"
	"gamedex/internal/dashboard/web"
)

// withKey returns a handler that gets the key in the path. It looks among the
// visitor's keys only, so that another user's key is not found.
func (p *Pages) withKey(handle func(*web.Visit, account.Key) error) func(*web.Visit) error {
	return func(v *web.Visit) error {
		keys, err := p.Store.KeysOf(v.Context(), v.User.ID)
		if err != nil {
			return web.StoreError(err)
		}
		id := v.R.PathValue("id")
		i := slices.IndexFunc(keys, func(k account.Key) bool { return k.ID == id })
		if i < 0 {
			return web.NotFound()
		}
		return handle(v, keys[i])
	}
}

// listKeys shows the visitor's keys, the active ones first.
func (p *Pages) listKeys(v *web.Visit) error {
	keys, err := p.Store.KeysOf(v.Context(), v.User.ID)
	if err != nil {
		return web.StoreError(err)
	}
	var active, others []View
	var view listView
	for _, k := range keys {
		switch status := k.Status(v.Now()); {
		case status == account.StatusRevoked && len(view.Revoked) == maxRevoked:
			view.Older++
		case status == account.StatusRevoked:
			view.Revoked = append(view.Revoked, View{Key: k})
		case status == account.StatusActive:
			active = append(active, p.View(v, k))
		default:
			others = append(others, p.View(v, k))
		}
	}
	view.Keys = append(active, others...)
	for _, k := range view.Keys {
		view.Owner = cmp.Or(view.Owner, k.Owner)
	}
	return v.Render(http.StatusOK, "keys", view)
}

// Recent returns the n active keys of the visitor that were used last, and how many more
// there are.
func (p *Pages) Recent(v *web.Visit, n int) (views []View, more int, err error) {
	keys, err := p.Store.KeysOf(v.Context(), v.User.ID)
	if err != nil {
		return nil, 0, web.StoreError(err)
	}
	keys = slices.DeleteFunc(keys, func(k account.Key) bool { return k.Status(v.Now()) != account.StatusActive })
	for i := range keys {
		keys[i].LastUsedAt = max(keys[i].LastUsedAt, p.LastUsed(keys[i].Hash))
	}
	slices.SortStableFunc(keys, func(a, b account.Key) int { return cmp.Compare(b.LastUsedAt, a.LastUsedAt) })
	more = max(0, len(keys)-n)
	for _, k := range keys[:len(keys)-more] {
		views = append(views, p.View(v, k))
	}
	return views, more, nil
}

// showKey shows a key, with what was entered for another name and is wrong with it.
func (p *Pages) showKey(v *web.Visit, status int, k account.Key, name string, wrong web.FieldErrors) error {
	usage, err := p.Usage(v, []account.Key{k})
	if err != nil {
		return err
	}
	return v.Render(status, "key", keyPage{Key: p.View(v, k), NewName: name, Errors: wrong, Usage: usage})
}

func (p *Pages) renameKey(v *web.Visit, k account.Key) error {
	name := v.Form("name")
	if err := (account.Draft{Name: name}).Check(v.Now()); err != nil {
		wrong, ok := web.FieldErrorsOf(err)
		if !ok {
			return err
		}
		return p.showKey(v, http.StatusUnprocessableEntity, k, name, wrong)
	}
	if _, err := p.Store.RenameKey(v.Context(), k.ID, name, v.By()); err != nil {
		return web.StoreError(err)
	}
	return v.Done("/keys/"+k.ID, "keys.renamed", name)
}

func (p *Pages) revokePage(v *web.Visit, k account.Key) error {
	if k.RevokedAt != 0 {
		return v.Redirect("/keys/" + k.ID)
	}
	return v.Render(http.StatusOK, "key-revoke", p.View(v, k))
}

func (p *Pages) revokeKey(v *web.Visit, k account.Key) error {
	k, err := p.Store.RevokeKey(v.Context(), k.ID, v.By())
	if err != nil {
		return web.StoreError(err)
	}
	return v.Done("/keys", "keys.revoked", k.Name)
}

package keys

import (
	"net/http"
	"slices"

	"gamedex/internal/account"
	"gamedex/internal/dashboard/web"
)

// ownKey returns the key in the path. It looks among the visitor's keys only, so
// that another user's key is not found.
func (p *Pages) ownKey(v *web.Visit) (account.Key, error) {
	keys, err := p.Store.KeysOf(v.Context(), v.User.ID)
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

// list shows the visitor's keys.
func (p *Pages) list(v *web.Visit) error {
	keys, err := p.Store.KeysOf(v.Context(), v.User.ID)
	if err != nil {
		return web.StoreError(err)
	}
	return v.Render(http.StatusOK, "keys", p.listView(v, keys))
}

// key shows one key.
func (p *Pages) key(v *web.Visit) error {
	k, err := p.ownKey(v)
	if err != nil {
		return err
	}
	return p.showKey(v, http.StatusOK, k, k.Name, nil)
}

// showKey shows a key, with what was entered for another name and is wrong with it.
func (p *Pages) showKey(v *web.Visit, status int, k account.Key, name string, wrong web.FieldErrors) error {
	usage, err := p.Usage(v, []account.Key{k})
	if err != nil {
		return err
	}
	return v.Render(status, "key", keyPage{Key: p.View(v, k), NewName: name, Errors: wrong, Usage: usage})
}

func (p *Pages) renameKey(v *web.Visit) error {
	k, err := p.ownKey(v)
	if err != nil {
		return err
	}
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

// revokePage asks for confirmation.
func (p *Pages) revokePage(v *web.Visit) error {
	k, err := p.ownKey(v)
	if err != nil {
		return err
	}
	if k.RevokedAt != 0 {
		return v.Redirect("/keys/" + k.ID)
	}
	return v.Render(http.StatusOK, "key-revoke", p.View(v, k))
}

func (p *Pages) revokeKey(v *web.Visit) error {
	k, err := p.ownKey(v)
	if err != nil {
		return err
	}
	if k, err = p.Store.RevokeKey(v.Context(), k.ID, v.By()); err != nil {
		return web.StoreError(err)
	}
	return v.Done("/keys", "keys.revoked", k.Name)
}

package admin

import (
	"context"
	"net/http"

	"gamedex/internal/account"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/dashboard/webhooks"
	"gamedex/internal/webhook"
)

// Webhooks finds and changes everybody's webhooks. Its errors wrap account.ErrNotFound.
type Webhooks interface {
	// Search returns webhooks with an id below after (any, if it is empty), newest first, with query in their id or
	// in the id, the name or the owner's email of their key. More are below next; if that is not empty, there
	// may be fewer than limit.
	Search(ctx context.Context, query, after string, limit int) (found []webhook.Listed, next string, err error)
	Find(ctx context.Context, id string) (webhook.Subscription, error)
	TurnOffBy(ctx context.Context, id string, by account.By) error
	DeleteBy(ctx context.Context, id string, by account.By) error
}

type ownedWebhook struct {
	webhooks.View
	Owner who // zero: nobody
}

func (p *pages) listWebhooks(v *web.Visit) error {
	if p.Webhooks == nil {
		return webhooks.Off(v)
	}
	return showFound(v, "admin-webhooks", func(found []webhook.Listed) ([]ownedWebhook, error) {
		return p.ownedWebhooks(v, found)
	}, p.Webhooks.Search)
}

func (p *pages) ownedWebhooks(v *web.Visit, found []webhook.Listed) (list []ownedWebhook, err error) {
	keys, ids := map[string]account.OwnedKey{}, []string(nil)
	for i := range found {
		if _, known := keys[found[i].KeyID]; !known {
			keys[found[i].KeyID], ids = account.OwnedKey{}, append(ids, found[i].KeyID)
		}
	}
	owned, err := p.Keys.OwnedKeys(v.Context(), ids)
	if err != nil {
		return nil, web.DatabaseError(err)
	}
	for _, k := range owned {
		keys[k.ID] = k
	}
	for i := range found {
		k := keys[found[i].KeyID]
		list = append(list, ownedWebhook{p.hookPages.View(v, &found[i], k.Key), who{k.UserID, k.Email}})
	}
	return list, nil
}

func (p *pages) withWebhook(handle func(*web.Visit, webhook.Subscription) error) func(*web.Visit) error {
	return web.WithFound(func(v *web.Visit) (s webhook.Subscription, err error) {
		id := v.R.PathValue("webhook")
		if p.Webhooks == nil || !webhook.IsID(id) {
			return s, account.ErrNotFound
		}
		return p.Webhooks.Find(v.Context(), id)
	}, handle)
}

func (p *pages) turnOffWebhook(v *web.Visit, s webhook.Subscription) error {
	err := p.Webhooks.TurnOffBy(v.Context(), s.ID, v.ByWith(s.KeyID))
	return v.Stored(err, "/admin/webhooks", "admin.webhook.is-off", s.ID)
}

func (p *pages) deleteWebhookPage(v *web.Visit, s webhook.Subscription) error {
	list, err := p.ownedWebhooks(v, []webhook.Listed{*s.Listed()})
	if err != nil {
		return err
	}
	return v.Render(http.StatusOK, "admin-webhook-delete", list[0])
}

func (p *pages) deleteWebhook(v *web.Visit, s webhook.Subscription) error {
	err := p.Webhooks.DeleteBy(v.Context(), s.ID, v.ByWith(s.KeyID))
	return v.Stored(err, "/admin/webhooks", "admin.webhook.is-deleted", s.ID)
}

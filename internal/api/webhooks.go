package api

import (
	"context"
	"errors"
	"net/http"

	"gamedex/internal/account"
	"gamedex/internal/api/respond"
	"gamedex/internal/api/subscription"
	"gamedex/internal/api/wire"
	"gamedex/internal/webhook"
)

// withWebhooks returns a handler that answers 404 while webhooks are off.
func withWebhooks(handle func(*request) error) func(*request) error {
	return func(rq *request) error {
		if rq.api.cfg.Webhooks == nil {
			return &problem{code: codeNotFound, message: "the operator of this service has not turned webhooks on"}
		}
		return handle(rq)
	}
}

// webhookError returns the answer to an error of the repository.
func webhookError(err error) error {
	switch {
	case errors.Is(err, account.ErrNotFound):
		return &problem{code: codeNotFound, message: "this key has no such webhook"}
	case errors.Is(err, webhook.ErrTooMany):
		return &problem{code: codeTooManyWebhooks, message: err.Error() + ": delete one of them"}
	case errors.Is(err, webhook.ErrFull), errors.Is(err, webhook.ErrDealsFull):
		return &problem{code: codeTooManyWebhooks, message: err.Error()}
	}
	return unavailable("webhooks cannot be read or changed right now", err)
}

// webhooks answers GET and POST /account/webhooks.
func (rq *request) webhooks() error {
	if rq.r.Method == http.MethodPost {
		return rq.createWebhook()
	}
	if err := rq.params().Err(); err != nil {
		return err
	}
	ctx, cancel := rq.databaseContext()
	defer cancel()
	list, err := rq.api.cfg.Webhooks.ListOf(ctx, rq.key.ID)
	if err != nil {
		return webhookError(err)
	}
	return rq.sendData(func(b *respond.Body) {
		b.Buf = append(b.Buf, `{"webhooks":[`...)
		for i := range list {
			b.Buf = append(subscription.Append(wire.AppendComma(b.Buf, i), &list[i]), '}')
			if !b.SendChunk() {
				return
			}
		}
		b.Buf = append(b.Buf, `]}`...)
	})
}

// createWebhook answers POST /account/webhooks.
func (rq *request) createWebhook() error {
	body, err := rq.takeBody()
	if err != nil {
		return err
	}
	sent, err := subscription.Read(body, rq.api.cfg.WebhookHosts)
	if err != nil {
		return err
	}
	v, err := rq.viewOf(sent.Platform)
	if err != nil {
		return err
	}
	s, served, err := sent.Issue(rq.key.ID, v, rq.now, rq.api.cfg.Rand)
	if err != nil {
		return err
	}
	ctx, cancel := rq.databaseContext()
	defer cancel()
	if err := rq.api.cfg.Webhooks.Create(ctx, s, served); err != nil {
		return webhookError(err)
	}
	meta := appendUnavailable(nil, unavailablePlatforms(v, sent.Platform, sent.Found.NotFound()))
	return rq.sendEnvelope(http.StatusCreated, meta, func(b *respond.Body) {
		b.Buf = wire.AppendText(append(subscription.Append(b.Buf, &s), `,"secret":`...), s.Secret)
		if sent.Found.AppendNotFound(b) {
			b.Buf = append(b.Buf, '}')
		}
	})
}

// ownWebhook returns the subscription of the path, if it is one of the key, after it has done with it
// what the request asks for; nil: nothing.
func (rq *request) ownWebhook(do func(ctx context.Context, id string) error) (s webhook.Subscription, err error) {
	ctx, cancel := rq.databaseContext()
	defer cancel()
	err = account.ErrNotFound
	if webhook.IsID(rq.param) {
		s, err = rq.api.cfg.Webhooks.Find(ctx, rq.param)
	}
	if err == nil && s.KeyID != rq.key.ID {
		err = account.ErrNotFound
	}
	if err == nil && do != nil {
		err = do(ctx, s.ID)
	}
	if err != nil {
		return webhook.Subscription{}, webhookError(err)
	}
	return s, nil
}

// webhook answers GET, PATCH and DELETE /account/webhooks/{webhookId}.
func (rq *request) webhook() error {
	if rq.r.Method == http.MethodPatch {
		return rq.changeWebhook()
	}
	if err := rq.params().Err(); err != nil {
		return err
	}
	if rq.r.Method != http.MethodDelete {
		s, err := rq.ownWebhook(nil)
		if err != nil {
			return err
		}
		return rq.sendWebhook(http.StatusOK, &s)
	}
	s, err := rq.ownWebhook(rq.api.cfg.Webhooks.Delete)
	if err != nil {
		return err
	}
	return rq.sendData(func(b *respond.Body) {
		b.Buf = append(wire.AppendText(append(b.Buf, `{"id":`...), s.ID), `,"deleted":true}`...)
	})
}

// changeWebhook answers PATCH /account/webhooks/{webhookId}.
func (rq *request) changeWebhook() error {
	body, err := rq.takeBody()
	if err != nil {
		return err
	}
	change, err := subscription.ReadChange(body, rq.api.cfg.WebhookHosts)
	if err != nil {
		return err
	}
	var s webhook.Subscription
	if _, err := rq.ownWebhook(func(ctx context.Context, id string) (err error) {
		s, err = rq.api.cfg.Webhooks.Update(ctx, id, func(s *webhook.Subscription) error {
			change.Apply(s, rq.now)
			return nil
		})
		return err
	}); err != nil {
		return err
	}
	return rq.sendWebhook(http.StatusOK, &s)
}

// pingWebhook answers POST /account/webhooks/{webhookId}/ping.
func (rq *request) pingWebhook() error {
	s, err := rq.ownWebhook(rq.api.cfg.Webhooks.RequestPing)
	if err != nil {
		return err
	}
	return rq.sendWebhook(http.StatusAccepted, &s)
}

// webhookTries answers GET /account/webhooks/{webhookId}/tries.
func (rq *request) webhookTries() error {
	if err := rq.params().Err(); err != nil {
		return err
	}
	var tries []webhook.Try
	if _, err := rq.ownWebhook(func(ctx context.Context, id string) (err error) {
		tries, err = rq.api.cfg.Webhooks.Tries(ctx, id)
		return err
	}); err != nil {
		return err
	}
	return rq.sendData(func(b *respond.Body) {
		b.Buf = append(subscription.AppendTries(append(b.Buf, `{"tries":`...), tries), '}')
	})
}

func (rq *request) sendWebhook(status int, s *webhook.Subscription) error {
	return rq.sendEnvelope(status, nil, func(b *respond.Body) { b.Buf = append(subscription.Append(b.Buf, s), '}') })
}

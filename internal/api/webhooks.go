package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/oklog/ulid/v2"

	"gamedex/internal/account"
	"gamedex/internal/api/params"
	"gamedex/internal/api/respond"
	"gamedex/internal/api/selection"
	"gamedex/internal/api/wire"
	"gamedex/internal/index"
	"gamedex/internal/webhook"
)

// whenNames are the values of the parameter when; the first is the default.
var whenNames = []string{
	string(webhook.WhenChange), string(webhook.WhenDrop), string(webhook.WhenDeal), string(webhook.WhenBelow),
}

// turnedOff is the reason of a subscription that its owner turned off.
const turnedOff = "turned off by its owner"

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
	case errors.Is(err, webhook.ErrFull):
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
			b.Buf = append(appendWebhook(wire.AppendComma(b.Buf, i), &list[i]), '}')
			if !b.SendChunk() {
				return
			}
		}
		b.Buf = append(b.Buf, `]}`...)
	})
}

// createWebhook answers POST /account/webhooks.
func (rq *request) createWebhook() error {
	body, release, err := rq.takeBody()
	if err != nil {
		return err
	}
	defer release()
	sent := newGamesRequest("url", "when", "amount")
	draft, ids, err := rq.readWebhook(&sent, body)
	if err != nil {
		return err
	}
	v, err := rq.viewOf(ids.Platform)
	if err != nil {
		return err
	}
	var found selection.Selection
	found.Find(v, ids)
	draft.Games = watchedGames(v, &found)
	switch n := len(draft.Games); {
	case n == 0:
		return &params.Fault{Field: "ids", Sent: sent.body.Value("ids").Bounded(), Constraint: "known", Reason: "no game has any of these ids"}
	case n > webhook.MaxGames:
		return tooMany(codeTooManyHistories, fmt.Sprintf("the successors of these ids are %d games; at most %d are allowed", n, webhook.MaxGames), webhook.MaxGames, n)
	}
	s, served, err := draft.Issue(rq.key.ID, v, rq.now, rq.api.cfg.Rand)
	if err != nil {
		return err
	}
	ctx, cancel := rq.databaseContext()
	defer cancel()
	if err := rq.api.cfg.Webhooks.Create(ctx, s, served); err != nil {
		return webhookError(err)
	}
	meta := appendUnavailable(nil, unavailablePlatforms(v, ids.Platform, found.NotFound()))
	return rq.sendEnvelope(http.StatusCreated, meta, func(b *respond.Body) {
		b.Buf = wire.AppendText(append(appendWebhook(b.Buf, &s), `,"secret":`...), s.Secret)
		if found.AppendNotFound(b) {
			b.Buf = append(b.Buf, '}')
		}
	})
}

// readWebhook reads the request for a new subscription, and returns the first fault in the order
// of the reference.
func (rq *request) readWebhook(sent *gamesRequest, body []byte) (d webhook.Draft, ids selection.Params, err error) {
	o := sent.body
	if fault := o.Parse(body); fault != nil {
		return d, ids, fault
	}
	if d.URL, err = rq.readReceiver(o); err != nil {
		return d, ids, err
	}
	if ids, err = sent.games(o, webhook.MaxGames, upperFamily); err != nil {
		return d, ids, err
	}
	d.Regions = ids.Regions
	when, whenFault := o.Enum("when", 0, whenNames)
	amount, amountFault := o.Integer("amount", 1, webhook.MaxAmount)
	if fault := cmp.Or(whenFault, amountFault); fault != nil {
		return d, ids, fault
	}
	d.When, d.Amount = webhook.When(whenNames[when]), int64(amount)
	codes, below := d.Regions.Codes, d.When == webhook.WhenBelow
	switch {
	case below && (len(codes) != 1 || codes[0] == selection.EuroArea):
		return d, ids, &params.Fault{Field: "regions", Sent: o.Value("regions").Bounded(), Constraint: params.OneRegion}
	case below && amount == 0:
		return d, ids, &params.Fault{Field: "amount", Sent: o.Value("amount"), Constraint: params.Required}
	case !below && amount != 0:
		return d, ids, &params.Fault{Field: "when", Sent: o.Value("when"), Constraint: "enum:" + string(webhook.WhenBelow), Reason: "amount is only for below"}
	}
	return d, ids, nil
}

// readReceiver reads the URL of a receiver.
func (rq *request) readReceiver(o *params.Object) (string, error) {
	sent := o.List("url", params.String)
	text, fault := sent.First()
	if fault == nil && text == "" {
		fault = sent.Invalid(params.Required)
	}
	if fault != nil {
		return "", fault
	}
	if err := webhook.CheckURL(text, rq.api.cfg.WebhookHosts); err != nil {
		fault = sent.Invalid("url")
		fault.Reason = err.Error()
		return "", fault
	}
	return text, nil
}

// watchedGames returns the names of the cards that were found, and of the successors of ids that
// were not.
func watchedGames(v *index.View, found *selection.Selection) (games []string) {
	for _, c := range found.Cards {
		games = append(games, webhook.GameID(c))
	}
	for _, id := range found.IDs {
		if _, ok := v.Lookup(found.Platform, id.Key); ok {
			continue
		}
		for _, successor := range v.Moved(found.Platform, id.Key) {
			if c, ok := v.Lookup(found.Platform, successor); ok {
				games = append(games, webhook.GameID(c))
			}
		}
	}
	slices.Sort(games)
	return slices.Compact(games)
}

// ownWebhook returns the subscription of the path, if it is one of the key.
func (rq *request) ownWebhook(ctx context.Context) (webhook.Subscription, error) {
	err := account.ErrNotFound
	var s webhook.Subscription
	if isWebhookID(rq.param) {
		s, err = rq.api.cfg.Webhooks.Find(ctx, rq.param)
	}
	if err == nil && s.KeyID != rq.key.ID {
		err = account.ErrNotFound
	}
	if err != nil {
		return webhook.Subscription{}, webhookError(err)
	}
	return s, nil
}

// isWebhookID reports whether a text has the form of an id. Others are not looked up: a database
// can refuse their characters.
func isWebhookID(text string) bool {
	random, ok := strings.CutPrefix(text, "whk_")
	_, err := ulid.ParseStrict(random)
	return ok && err == nil
}

// webhook answers GET, PATCH and DELETE /account/webhooks/{webhookId}.
func (rq *request) webhook() error {
	if rq.r.Method == http.MethodPatch {
		return rq.changeWebhook()
	}
	if err := rq.params().Err(); err != nil {
		return err
	}
	ctx, cancel := rq.databaseContext()
	defer cancel()
	s, err := rq.ownWebhook(ctx)
	if err != nil {
		return err
	}
	if rq.r.Method != http.MethodDelete {
		return rq.sendWebhook(http.StatusOK, &s)
	}
	if err := rq.api.cfg.Webhooks.Delete(ctx, s.ID); err != nil {
		return webhookError(err)
	}
	return rq.sendData(func(b *respond.Body) {
		b.Buf = append(wire.AppendText(append(b.Buf, `{"id":`...), s.ID), `,"deleted":true}`...)
	})
}

// fixedMembers are those of a new subscription that cannot be changed.
var fixedMembers = []string{"ids", "platform", "regions", "when", "amount"}

// changeWebhook answers PATCH /account/webhooks/{webhookId}.
func (rq *request) changeWebhook() error {
	body, release, err := rq.takeBody()
	if err != nil {
		return err
	}
	defer release()
	sent := params.NewObject(append([]string{"url", "active"}, fixedMembers...)...)
	if fault := sent.Parse(body); fault != nil {
		return fault
	}
	url := ""
	if sent.Has("url") {
		if url, err = rq.readReceiver(sent); err != nil {
			return err
		}
	}
	active, fault := sent.Boolean("active")
	if fault != nil {
		return fault
	}
	for _, field := range fixedMembers {
		if sent.Has(field) {
			return &params.Fault{Field: field, Sent: sent.Value(field).Bounded(), Constraint: "fixed", Reason: "only url and active can be changed; create another webhook"}
		}
	}
	ctx, cancel := rq.databaseContext()
	defer cancel()
	s, err := rq.ownWebhook(ctx)
	if err != nil {
		return err
	}
	s, err = rq.api.cfg.Webhooks.Update(ctx, s.ID, func(s *webhook.Subscription) error {
		if url != "" && url != s.URL { // the new receiver need not wait for the next try
			s.URL, s.Message.Failures, s.Message.NextTry = url, 0, 0
		}
		switch {
		case active:
			s.TurnOn()
		case sent.Has("active"):
			s.TurnOff(rq.now, turnedOff)
		}
		return nil
	})
	if err != nil {
		return webhookError(err)
	}
	return rq.sendWebhook(http.StatusOK, &s)
}

// pingWebhook answers POST /account/webhooks/{webhookId}/ping.
func (rq *request) pingWebhook() error {
	ctx, cancel := rq.databaseContext()
	defer cancel()
	s, err := rq.ownWebhook(ctx)
	if err != nil {
		return err
	}
	if err := rq.api.cfg.Webhooks.RequestPing(ctx, s.ID); err != nil {
		return webhookError(err)
	}
	return rq.sendWebhook(http.StatusAccepted, &s)
}

// webhookTries answers GET /account/webhooks/{webhookId}/tries.
func (rq *request) webhookTries() error {
	if err := rq.params().Err(); err != nil {
		return err
	}
	ctx, cancel := rq.databaseContext()
	defer cancel()
	s, err := rq.ownWebhook(ctx)
	if err != nil {
		return err
	}
	tries, err := rq.api.cfg.Webhooks.Tries(ctx, s.ID)
	if err != nil {
		return webhookError(err)
	}
	return rq.sendData(func(b *respond.Body) {
		dst := append(b.Buf, `{"tries":[`...)
		for i, t := range tries {
			dst = wire.AppendTimestamp(append(wire.AppendComma(dst, i), `{"at":`...), t.At)
			dst = wire.AppendText(append(dst, `,"messageId":`...), t.MessageID)
			dst = appendIntOrNull(append(dst, `,"status":`...), int64(t.Status))
			dst = wire.AppendTextOrNull(append(dst, `,"error":`...), t.Error)
			dst = append(wire.AppendInt(append(dst, `,"milliseconds":`...), t.Took), '}')
		}
		b.Buf = append(dst, `]}`...)
	})
}

// sendWebhook answers with a subscription.
func (rq *request) sendWebhook(status int, s *webhook.Subscription) error {
	return rq.sendEnvelope(status, nil, func(b *respond.Body) { b.Buf = append(appendWebhook(b.Buf, s), '}') })
}

// appendWebhook appends a subscription without its secret, and without its last brace.
func appendWebhook(dst []byte, s *webhook.Subscription) []byte {
	dst = wire.AppendText(append(dst, `{"id":`...), s.ID)
	dst = wire.AppendString(append(dst, `,"url":`...), s.URL)
	dst = strconv.AppendBool(append(dst, `,"active":`...), s.OffAt == 0)
	dst = wire.AppendTimestampOrNull(append(dst, `,"offAt":`...), s.OffAt)
	dst = wire.AppendTextOrNull(append(dst, `,"offReason":`...), s.OffReason)
	dst = wire.AppendTimestamp(append(dst, `,"createdAt":`...), s.CreatedAt)
	dst = append(dst, `,"games":[`...)
	for i, game := range s.Games {
		platform, id, _ := webhook.ParseGameID(game)
		dst = wire.AppendText(append(wire.AppendComma(dst, i), `{"platform":`...), platform.String())
		dst = append(wire.AppendText(append(dst, `,"id":`...), id), '}')
	}
	dst = append(dst, `],"regions":`...)
	if regions := webhook.RegionsText(s.Regions); regions == "" {
		dst = append(dst, `null`...)
	} else {
		dst = wire.AppendStrings(dst, strings.Split(regions, ","))
	}
	dst = wire.AppendText(append(dst, `,"when":`...), string(s.When))
	dst = appendIntOrNull(append(dst, `,"amount":`...), s.Amount)
	if s.Message.ID == "" {
		return append(dst, `,"pending":null`...)
	}
	dst = wire.AppendText(append(dst, `,"pending":{"messageId":`...), s.Message.ID)
	dst = wire.AppendInt(append(dst, `,"failures":`...), int64(s.Message.Failures))
	return append(wire.AppendTimestampOrNull(append(dst, `,"nextTryAt":`...), s.Message.NextTry), '}')
}

// appendIntOrNull appends a number, and null for zero.
func appendIntOrNull(dst []byte, n int64) []byte {
	if n == 0 {
		return append(dst, `null`...)
	}
	return wire.AppendInt(dst, n)
}

package api

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"gamedex/internal/api/params"
	"gamedex/internal/api/pricehistory"
	"gamedex/internal/api/respond"
	"gamedex/internal/api/wire"
)

// maxHistoryIDs is the limit of ids in one request for past prices.
const maxHistoryIDs = 50

// stepsTimeout bounds the wait for a database that is silent.
const stepsTimeout = 10 * time.Second

// history answers GET and POST /catalog/history.
func (rq *request) history() error {
	body, err := rq.takeBody()
	if err != nil {
		return err
	}
	sent := params.NewGames("since", "until", "lang")
	period, err := historyParams(&sent, rq.r, body, rq.now)
	if err != nil {
		return err
	}
	v, err := rq.viewOf(period.Platform)
	if err != nil {
		return err
	}
	if err := rq.reserve(pricehistory.Memory); err != nil {
		return err
	}
	var answer pricehistory.Answer
	answer.Find(v, period, rq.now)
	if err := rq.readSteps(&answer); err != nil {
		return err
	}
	out := unavailablePlatforms(v, period.Platform, answer.NotFound())
	if rq.unchanged(answer.Tag(rq.newTagIn(period.Language)).Texts(out)) {
		return nil
	}
	return rq.send(0, http.StatusOK, func(b *respond.Body) {
		b.Buf = append(b.Buf, `{"ok":true,`...)
		answer.Encode(b)
		b.Buf = appendIndexMeta(rq.appendMetaMembers(append(b.Buf, `,"meta":{`...)), v, out)
		b.Buf = append(b.Buf, '}')
	})
}

// readSteps reads the past prices of an answer from the database.
func (rq *request) readSteps(answer *pricehistory.Answer) error {
	ctx, cancel := context.WithTimeout(rq.r.Context(), stepsTimeout)
	defer cancel()
	err := answer.Read(ctx, rq.api.cfg.Past)
	if many, ok := errors.AsType[*pricehistory.TooManyStepsError](err); ok {
		return tooMany(codeTooManySteps, many.Error(), pricehistory.MaxSteps, many.Steps)
	}
	if err != nil {
		return unavailable("past prices cannot be read right now", err)
	}
	return nil
}

// historyParams reads the parameters. It returns the first fault in the order of the
// reference.
func historyParams(sent *params.Games, r *http.Request, body []byte, now int64) (p pricehistory.Params, err error) {
	from, fault := sent.Source(r, body)
	if fault != nil {
		return p, fault
	}
	if p.Params, err = sent.Read(from, maxHistoryIDs); err != nil {
		return p, err
	}
	var sinceFault, untilFault *params.Fault
	since, until := from.List("since", params.String), from.List("until", params.String)
	p.Since, sinceFault = params.ParseTime(since)
	p.Until, untilFault = params.ParseTime(until)
	if fault := cmp.Or(sinceFault, untilFault); fault != nil {
		return p, fault
	}
	switch {
	case p.Since == nil:
	case p.Until != nil && *p.Since > *p.Until:
		return p, until.Invalid("min:" + string(wire.AppendBareTimestamp(nil, int64(*p.Since))))
	case p.Until == nil && int64(*p.Since) > now:
		return p, since.Invalid("max:" + string(wire.AppendBareTimestamp(nil, now)))
	}
	language, languageFault := params.ParseLanguage(from.List("lang", params.String))
	p.Language = language
	if fault := cmp.Or(languageFault, from.Rest()); fault != nil {
		return p, fault
	}
	return p, nil
}

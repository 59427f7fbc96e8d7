package api

import (
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gamedex/internal/api/bulk"
	"gamedex/internal/api/cards"
	"gamedex/internal/api/params"
	"gamedex/internal/api/respond"
	"gamedex/internal/api/wire"
	"gamedex/internal/catalog"
	"gamedex/internal/index"
	"gamedex/internal/lists"
)

// consoleCard answers GET /catalog/games/{gameId}.
func (rq *request) consoleCard() error { return rq.card(catalog.ConsoleStore) }

// pcCard answers GET /catalog/pcstore/games/{slug}.
func (rq *request) pcCard() error { return rq.card(catalog.PCStore) }

func (rq *request) card(p catalog.Platform) error {
	if !utf8.ValidString(rq.param) {
		sent := params.Value(wire.AppendString(nil, path.Base(rq.r.URL.EscapedPath())))
		return &params.Fault{Field: strings.Trim(path.Base(rq.route.pattern), "{}"), Sent: sent, Constraint: params.Encoding}
	}
	q := rq.params()
	currency, language := q.Currency("currency"), q.Language("lang")
	v, err := rq.checkedView(q)
	if err != nil {
		return err
	}
	c, ok := v.Lookup(p, rq.param)
	if !ok {
		successors := v.Moved(p, rq.param)
		forPages, release := rq.forPages(v, language, lists.Filter{})
		defer release()
		if len(successors) == 0 && isUnread(v, p) && forPages == nil {
			return upstream(p)
		}
		details := wire.AppendString([]byte(`{"gameId":`), rq.param)
		if len(successors) > 0 { // the ids of the cards that have its listings now
			details = wire.AppendStrings(append(details, `,"successors":`...), successors)
		}
		if forPages != nil {
			details = cards.Encoder{View: v, Now: rq.now, Language: v.Language(language), Pages: forPages}.AppendFormer(details, p, rq.param, successors)
		}
		return &problem{code: codeGameNotFound, message: otherStore(v, p, rq.param), details: append(details, '}')}
	}
	tag := rq.newTagIn(language).Text(c.ID()).Number(c.Rev()).Number(uint64(v.PassedEnds(rq.now)))
	var conversion *wire.Conversion
	if currency != "" {
		conversion = wire.NewConversion(v, currency, &rq.api.forms)
		tag = tag.Text(string(currency)).Number(v.Rates.Hash())
	}
	if rq.unchanged(tag) {
		return nil
	}
	forPages, release := rq.forPages(v, language, lists.Filter{})
	defer release()
	return rq.sendEnvelope(http.StatusOK, appendNoRate(nil, v, currency), func(b *respond.Body) {
		cards.Encoder{Body: b, View: v, Now: rq.now, Conversion: conversion, Language: v.Language(language), Pages: forPages}.EncodeCard(c)
	})
}

// otherStore returns the message for an id that only the store other than p has; "" if it does not have it either.
func otherStore(v *index.View, p catalog.Platform, id string) string {
	store, other := "PC", catalog.PCStore
	if p == other {
		store, other = "console", catalog.ConsoleStore
	}
	c, ok := v.Lookup(other, id)
	if !ok {
		return ""
	}
	return string(bulk.AppendCardPath([]byte("the "+store+" store has this id: GET "), c))
}

// retryUpstream is how many seconds a client should wait for a store that has
// not been read yet.
const retryUpstream = 60

// upstream returns the problem of a platform whose store has not been read.
func upstream(p catalog.Platform) *problem {
	details := wire.AppendString([]byte(`{"service":`), p.String())
	details = wire.AppendInt(append(details, `,"retryAfter":`...), retryUpstream)
	return &problem{code: codeUpstream, details: append(details, '}'), retryAfter: retryUpstream}
}

// unavailablePlatforms returns the names of the platforms on which some of the ids that
// were not found may exist: those whose store was never read as a whole, or is out. It
// considers the platform that was asked for, or all if that is 0.
func unavailablePlatforms(v *index.View, asked catalog.Platform, notFound int) (names []string) {
	if notFound == 0 {
		return nil
	}
	for _, p := range catalog.Platforms() {
		s := v.State(p)
		out := !v.Serves(p) || s.Collecting && !s.FirstSweepDone || s.Status == catalog.Outage.String()
		if out && (asked == 0 || asked == p) {
			names = append(names, p.String())
		}
	}
	return names
}

// unreadPlatforms returns the names of the platforms whose cards a list may lack, because
// their store was never read as a whole. It considers the platform that was asked for, or
// all if that is 0.
func unreadPlatforms(v *index.View, asked catalog.Platform) (names []string) {
	for _, p := range catalog.Platforms() {
		if s := v.State(p); s.Collecting && !s.FirstSweepDone && (asked == 0 || asked == p) {
			names = append(names, p.String())
		}
	}
	return names
}

// isUnread reports whether an id may be unknown only because its platform has not been
// read yet. That is so while collection is on, if it has found no listings, or if the store
// is out before the first sweep is complete.
func isUnread(v *index.View, p catalog.Platform) bool {
	s := v.State(p)
	return s.Collecting && (len(v.Regions(p)) == 0 || !s.FirstSweepDone && s.Status == catalog.Outage.String())
}

// exchangeRates answers GET /catalog/exchange-rates.
func (rq *request) exchangeRates() error {
	v, err := rq.checkedView(rq.params())
	if err != nil {
		return err
	}
	if v.Rates.IsZero() {
		return unavailable("no exchange rates yet", nil)
	}
	if rq.unchanged(rq.newTagIn("").Number(v.Rates.Hash()).Number(uint64(v.Rates.UpdatedAt()))) {
		return nil
	}
	return rq.sendData(func(b *respond.Body) { b.Buf = v.Rates.AppendJSON(b.Buf) })
}

// platforms answers GET /catalog/platforms.
func (rq *request) platforms() error {
	v, err := rq.checkedView(rq.params())
	if err != nil {
		return err
	}
	list := []byte(`{"platforms":[`)
	for i, p := range catalog.Platforms() {
		list = wire.AppendComma(list, i)
		list = rq.appendPlatform(list, v, p)
	}
	list = append(list, `]}`...)
	if rq.unchanged(rq.newTagIn("").Text(string(list))) {
		return nil
	}
	return rq.sendData(func(b *respond.Body) { b.Buf = append(b.Buf, list...) })
}

func (rq *request) appendPlatform(dst []byte, v *index.View, p catalog.Platform) []byte {
	name, related := rq.api.cfg.ConsoleName, true
	if p == catalog.PCStore {
		name, related = rq.api.cfg.PCName, false
	}
	dst = wire.AppendString(append(dst, `{"id":`...), p.String())
	dst = wire.AppendString(append(dst, `,"name":`...), name)
	dst = append(dst, `,"status":`...)
	status := v.State(p).Status
	if status == "" { // listings come by import only
		status = catalog.Operational.String()
	}
	dst = wire.AppendString(dst, status)
	dst = append(dst, `,"regions":[`...)
	for i, r := range v.Regions(p) {
		dst = wire.AppendComma(dst, i)
		dst = wire.AppendString(dst, strings.ToLower(r.String()))
	}
	dst = appendFreshness(append(dst, `],"freshness":`...), v, p)
	dst = strconv.AppendBool(append(dst, `,"features":{"search":true,"details":true,"prices":true,"related":`...), related)
	return append(dst, `}}`...)
}

// appendFreshness appends when the listings of a platform were last seen, by region,
// without the regions whose freshness is not known. It shows times instead of ages, so that
// the answer changes only after a store was read.
func appendFreshness(dst []byte, v *index.View, p catalog.Platform) []byte {
	known := v.State(p).Freshness
	dst = append(dst, '{')
	n := 0
	for _, r := range v.Regions(p) {
		i := slices.IndexFunc(known, func(f catalog.Freshness) bool { return f.Region == r })
		if i < 0 {
			continue
		}
		dst = wire.AppendString(wire.AppendComma(dst, n), strings.ToLower(r.String()))
		n++
		f := &known[i]
		dst = wire.AppendTimestampOrNull(append(dst, `:{"oldestSeenAt":`...), int64(f.OldestSeen))
		dst = wire.AppendTimestampOrNull(append(dst, `,"medianSeenAt":`...), int64(f.MedianSeen))
		dst = wire.AppendTimestampOrNull(append(dst, `,"lastSweepAt":`...), int64(f.LastSweep))
		dst = wire.AppendInt(append(dst, `,"doubtfulPrices":`...), int64(f.Doubtful))
		dst = append(dst, '}')
	}
	return append(dst, '}')
}

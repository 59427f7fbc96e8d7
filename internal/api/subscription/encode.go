// Package subscription reads requests for subscriptions of webhooks, and encodes subscriptions and their tries.
//
//	body ─► Read ─► Request.Issue ─► webhook.Subscription ─► Append
//	body ─► ReadChange ─► Change.Apply ─────┘
//
// It sees no request and no database: package api has the handlers.
package subscription

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"gamedex/internal/api/wire"
	"gamedex/internal/webhook"
)

// Append appends a subscription without its secret, and without its last brace.
func Append(dst []byte, s *webhook.Subscription) []byte {
	dst = wire.AppendText(append(dst, `{"id":`...), s.ID)
	dst = wire.AppendString(append(dst, `,"url":`...), s.URL)
	dst = strconv.AppendBool(append(dst, `,"active":`...), s.OffAt == 0)
	dst = wire.AppendTimestampOrNull(append(dst, `,"offAt":`...), s.OffAt)
	dst = wire.AppendTextOrNull(append(dst, `,"offReason":`...), s.OffReason)
	dst = wire.AppendTimestamp(append(dst, `,"createdAt":`...), s.CreatedAt)
	dst = append(dst, `,"games":[`...)
	for i, game := range s.Games {
		if s.Deals != "" {
			break
		}
		platform, id, _ := webhook.ParseGameID(game)
		dst = wire.AppendText(append(wire.AppendComma(dst, i), `{"platform":`...), platform.String())
		dst = append(wire.AppendText(append(dst, `,"id":`...), id), '}')
	}
	dst = append(appendDeals(append(dst, `],"deals":`...), s.Deals), `,"regions":`...)
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

// appendDeals appends the filters of deals, each as an array of texts.
func appendDeals(dst []byte, deals string) []byte {
	if deals == "" {
		return append(dst, `null`...)
	}
	filters, _ := url.ParseQuery(deals[1:]) // as this program wrote it
	dst = append(dst, '{')
	for i, name := range slices.Sorted(maps.Keys(filters)) {
		dst = append(wire.AppendString(wire.AppendComma(dst, i), name), ':')
		dst = wire.AppendStrings(dst, filters[name])
	}
	return append(dst, '}')
}

// AppendTries appends an array of tries.
func AppendTries(dst []byte, tries []webhook.Try) []byte {
	dst = append(dst, '[')
	for i, t := range tries {
		dst = wire.AppendTimestamp(append(wire.AppendComma(dst, i), `{"at":`...), t.At)
		dst = wire.AppendText(append(dst, `,"messageId":`...), t.MessageID)
		dst = appendIntOrNull(append(dst, `,"status":`...), int64(t.Status))
		dst = wire.AppendTextOrNull(append(dst, `,"error":`...), t.Error)
		dst = append(wire.AppendInt(append(dst, `,"milliseconds":`...), t.Took), '}')
	}
	return append(dst, ']')
}

// appendIntOrNull appends a number, and null for zero.
func appendIntOrNull(dst []byte, n int64) []byte {
	if n == 0 {
		return append(dst, `null`...)
	}
	return wire.AppendInt(dst, n)
}

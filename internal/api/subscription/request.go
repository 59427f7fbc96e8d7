package subscription

import (
	"cmp"
	"fmt"
	"io"

	"gamedex/internal/api/params"
	"gamedex/internal/api/selection"
	"gamedex/internal/index"
	"gamedex/internal/webhook"
)

// whenNames are the values of the member when; the first is the default.
var whenNames = []string{
	string(webhook.WhenChange), string(webhook.WhenDrop), string(webhook.WhenDeal), string(webhook.WhenBelow),
}

// Request is a request for a new subscription.
type Request struct {
	selection.Params
	Found selection.Selection // what its ids lead to, after Issue

	draft webhook.Draft
	ids   params.Value // as they were sent
}

// Read reads a request, and returns the first fault in the order of the reference: a [*params.Fault]
// or a [*params.TooManyError]. allowed are the receivers that may have private addresses.
func Read(body []byte, allowed webhook.Hosts) (*Request, error) {
	sent := params.NewGames("url", "when", "amount", "deals")
	o := sent.Body
	if fault := o.Parse(body); fault != nil {
		return nil, fault
	}
	url, err := readReceiver(o, allowed)
	if err != nil {
		return nil, err
	}
	if o.Has("deals") {
		return readDeals(o, url)
	}
	games, err := sent.Read(o, webhook.MaxGames)
	if err != nil {
		return nil, err
	}
	when, whenFault := o.Enum("when", 0, whenNames)
	amount, amountFault := o.Integer("amount", 1, webhook.MaxAmount)
	if fault := cmp.Or(whenFault, amountFault); fault != nil {
		return nil, fault
	}
	rq := &Request{Params: games, ids: o.Value("ids")}
	rq.draft.URL, rq.draft.Regions, rq.draft.When, rq.draft.Amount = url, games.Regions, webhook.When(whenNames[when]), int64(amount)
	codes, below := games.Regions.Codes, rq.draft.When == webhook.WhenBelow
	switch {
	case below && (len(codes) != 1 || codes[0] == selection.EuroArea):
		return nil, &params.Fault{Field: "regions", Sent: o.Value("regions").Bounded(), Constraint: params.OneRegion}
	case below && amount == 0:
		return nil, &params.Fault{Field: "amount", Sent: o.Value("amount"), Constraint: params.Required}
	case !below && amount != 0:
		return nil, &params.Fault{Field: "when", Sent: o.Value("when"), Constraint: "enum:" + string(webhook.WhenBelow), Reason: "amount is only for below"}
	}
	return rq, nil
}

func readDeals(o *params.Object, url string) (*Request, error) {
	for _, field := range []string{"ids", "platform", "regions", "amount"} {
		if o.Has(field) {
			return nil, &params.Fault{Field: field, Sent: o.Value(field).Bounded(), Constraint: "notWith:deals", Reason: "deals has the filters of the webhook"}
		}
	}
	_, fault := o.Enum("when", 0, []string{string(webhook.WhenDeal)})
	if fault != nil {
		return nil, fault
	}
	query, regions, fault := params.ReadDeals("deals", o.Value("deals"))
	if fault != nil {
		return nil, fault
	}
	rq := &Request{}
	rq.draft.URL, rq.draft.Deals, rq.draft.Regions, rq.draft.When = url, "?"+query, regions, webhook.WhenDeal
	if len(rq.draft.Deals) > webhook.MaxDealsLen {
		return nil, &params.Fault{Field: "deals", Sent: o.Value("deals").Bounded(), Constraint: fmt.Sprintf("maxLength:%d", webhook.MaxDealsLen), Reason: "this is for the filters as a query string"}
	}
	return rq, nil
}

func readReceiver(o *params.Object, allowed webhook.Hosts) (string, error) {
	sent := o.List("url", params.String)
	text, fault := sent.First()
	if fault == nil && text == "" {
		fault = sent.Invalid(params.Required)
	}
	if fault != nil {
		return "", fault
	}
	if err := webhook.CheckURL(text, allowed); err != nil {
		fault = sent.Invalid("url")
		fault.Reason = err.Error()
		return "", fault
	}
	return text, nil
}

// Issue returns the subscription that is requested, as [webhook.Draft.Issue] does: to the games of the ids, and
// to the successors of ids that are not found. Its errors are those of Read.
func (rq *Request) Issue(keyID string, v *index.View, now int64, random io.Reader) (webhook.Subscription, []webhook.Served, error) {
	if rq.draft.Deals != "" {
		return rq.draft.Issue(keyID, v, now, random)
	}
	rq.Found.Find(v, rq.Params)
	for _, c := range rq.Found.AppendSuccessors(rq.Found.Cards) {
		rq.draft.Games = append(rq.draft.Games, webhook.GameID(c))
	}
	s, served, err := rq.draft.Issue(keyID, v, now, random)
	n, regions := len(s.Games), len(rq.Regions.Numbers(v))
	limit := min(webhook.MaxGames, webhook.MaxPrices/max(regions, 1))
	switch {
	case err != nil:
	case n == 0:
		err = &params.Fault{Field: "ids", Sent: rq.ids.Bounded(), Constraint: "known", Reason: "no game has any of these ids"}
	case n > limit:
		text := fmt.Sprintf("these ids are %d games; at most %d are allowed in %d regions, with %d prices: create several webhooks", n, limit, regions, webhook.MaxPrices)
		err = &params.TooManyError{Text: text, Limit: limit, Received: n}
	}
	return s, served, err
}

// Change is a request to change a subscription.
type Change struct {
	url     string // of the receiver; "": it stays
	on, off bool
}

// fixedMembers are those of a new subscription that cannot be changed.
var fixedMembers = []string{"ids", "platform", "regions", "when", "amount", "deals"}

// ReadChange reads a request to change a subscription. Its errors and allowed are those of [Read].
func ReadChange(body []byte, allowed webhook.Hosts) (c Change, err error) {
	sent := params.NewObject(append([]string{"url", "active"}, fixedMembers...)...)
	if fault := sent.Parse(body); fault != nil {
		return c, fault
	}
	if sent.Has("url") {
		if c.url, err = readReceiver(sent, allowed); err != nil {
			return c, err
		}
	}
	active, fault := sent.Boolean("active")
	if fault != nil {
		return c, fault
	}
	c.on, c.off = active, sent.Has("active") && !active
	for _, field := range fixedMembers {
		if sent.Has(field) {
			return c, &params.Fault{Field: field, Sent: sent.Value(field).Bounded(), Constraint: "fixed", Reason: "only url and active can be changed; create another webhook"}
		}
	}
	return c, nil
}

// Apply changes a subscription at now.
func (c Change) Apply(s *webhook.Subscription, now int64) {
	if c.url != "" && c.url != s.URL { // the new receiver need not wait for the next try
		s.URL, s.Message.Failures, s.Message.NextTry = c.url, 0, 0
	}
	switch {
	case c.on:
		s.TurnOn()
	case c.off:
		s.TurnOff(now, webhook.OffByOwner)
	}
}

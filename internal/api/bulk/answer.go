package bulk

import (
	"gamedex/internal/api/respond"
	"gamedex/internal/api/wire"
	"gamedex/internal/catalog"
	"gamedex/internal/index"
)

// Answer is the answer to one request. The zero value is ready to use. It keeps
// its memory for the next request.
type Answer struct {
	params Params
	view   *index.View
	now    int64

	cards   []index.Card // found, in the order of their ids
	seen    map[uint32]bool
	lost    []ID // not found
	active  []catalog.Region
	regions []uint8 // in the order to show; if all are shown, the active ones
	isFirst [256]bool

	prefetched uint64 // the sum that index.PrefetchIDs returns

	rows        []shownRow // of the card that is being encoded
	product     string     // of the row before
	productText []byte     // product as a JSON string
	keys        []string   // of the regions shown so far
	keySeen     [3][256]bool

	hints     hints
	calendar  wire.Calendar // of pricedAt
	templates rowTemplates
}

// Reset releases what the request pointed to, and keeps the memory.
func (a *Answer) Reset() {
	clear(a.cards)
	clear(a.lost)
	clear(a.seen)
	a.templates.reset()
	clear(a.rows[:cap(a.rows)]) // an earlier card can have had more rows
	*a = Answer{
		cards: a.cards[:0], lost: a.lost[:0], seen: a.seen, active: a.active[:0], regions: a.regions[:0],
		rows: a.rows[:0], productText: a.productText[:0], keys: a.keys[:0], templates: a.templates,
	}
}

// Find finds the cards of the ids and the regions to show. A card that several
// ids lead to is found once, at the place of the first of them.
func (a *Answer) Find(v *index.View, params Params, now int64) {
	a.view, a.params, a.now = v, params, now
	if a.seen == nil {
		a.seen = map[uint32]bool{}
	}
	for i, id := range params.IDs {
		if i%index.PrefetchStep == 0 {
			var keys [index.PrefetchStep]string
			next := params.IDs[i:min(i+index.PrefetchStep, len(params.IDs))]
			for j := range next {
				keys[j] = next[j].Key
			}
			a.prefetched += v.PrefetchIDs(keys[:len(next)])
		}
		c, ok := v.Lookup(params.Platform, id.Key)
		switch number := uint32(c.Number()); {
		case !ok:
			a.lost = append(a.lost, id)
		case !a.seen[number]:
			a.seen[number] = true
			a.cards = append(a.cards, c)
		}
	}
	active := v.Active()
	if params.Regions.All {
		for i := range active {
			a.regions, a.isFirst[active[i].No] = append(a.regions, active[i].No), true
		}
		return
	}
	if len(params.Regions.Codes) == 0 {
		for i := range active {
			a.active = append(a.active, active[i].Code)
		}
		a.params.Regions.Codes = a.active
	}
	for _, code := range a.params.Regions.Codes {
		if no, ok := v.RegionNo(code); ok {
			a.regions = append(a.regions, no)
		}
	}
}

// Tag adds to t everything that data shows: the parameters, what was found and
// what was not, the rates and the discounts that have ended.
func (a *Answer) Tag(t respond.Tag) respond.Tag {
	t = t.Text(a.platformName()).Flag(a.params.Regions.All)
	for _, r := range a.params.Regions.Codes {
		t = t.Text(r.String())
	}
	t = t.Texts(a.params.Include.Names).Number(uint64(len(a.params.IDs)))
	t = t.Number(a.view.Rates.Hash()).Number(uint64(a.view.PassedEnds(a.now)))
	for _, c := range a.cards {
		t = t.Text(c.ID()).Number(c.Rev())
	}
	for _, id := range a.lost {
		t = t.Text(id.Sent).Texts(a.view.Moved(a.params.Platform, id.Key))
	}
	return t
}

// platformName returns the platform as filters shows it.
func (a *Answer) platformName() string {
	if a.params.Platform == 0 {
		return AutoPlatform
	}
	return a.params.Platform.String()
}

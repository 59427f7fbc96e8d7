package bulk

import (
	"slices"
	"strings"

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

	cards   []index.Card     // found, in the order of their ids
	seen    map[uint32]int32 // card → its place in cards
	places  []int32          // of the card of each id in cards; notFound
	lost    int              // ids that were not found
	asked   spellings        // of the cards
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
	clear(a.seen)
	a.templates.reset()
	clear(a.rows[:cap(a.rows)]) // an earlier card can have had more rows
	*a = Answer{
		cards: a.cards[:0], places: a.places[:0], asked: a.asked.emptied(), seen: a.seen, active: a.active[:0], regions: a.regions[:0],
		rows: a.rows[:0], productText: a.productText[:0], keys: a.keys[:0], templates: a.templates,
	}
}

// Find finds the cards of the ids and the regions to show. A card that several
// ids lead to is found once, at the place of the first of them.
func (a *Answer) Find(v *index.View, params Params, now int64) {
	a.view, a.params, a.now = v, params, now
	if a.seen == nil {
		a.seen = map[uint32]int32{}
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
		if !ok {
			a.lost++
			a.places = append(a.places, notFound)
			continue
		}
		place, known := a.seen[uint32(c.Number())]
		if !known {
			place = int32(len(a.cards))
			a.seen[uint32(c.Number())] = place
			a.cards = append(a.cards, c)
		}
		a.places = append(a.places, place)
	}
	a.asked.collect(params.Spellings, a.places, a.cards)
	a.findRegions()
}

// notFound is the place of an id without a card.
const notFound = -1

// NotFound returns how many ids were not found.
func (a *Answer) NotFound() int { return a.lost }

// findRegions finds the regions to show.
func (a *Answer) findRegions() {
	v, params := a.view, &a.params
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
	if slices.Contains(a.params.Regions.Codes, EuroArea) {
		a.expandEuroArea()
	}
	for _, code := range a.params.Regions.Codes {
		if no, ok := v.RegionNo(code); ok {
			a.regions = append(a.regions, no)
		}
	}
}

// expandEuroArea replaces EuroArea by the active regions of the euro area that
// were not named before it.
func (a *Answer) expandEuroArea() {
	add := func(code catalog.Region) {
		if !slices.Contains(a.active, code) {
			a.active = append(a.active, code)
		}
	}
	for _, code := range a.params.Regions.Codes {
		if code != EuroArea {
			add(code)
			continue
		}
		for i := range a.view.Active() {
			if r := &a.view.Active()[i]; strings.Contains(euroArea, " "+r.Alpha2+" ") {
				add(r.Code)
			}
		}
	}
	a.params.Regions.Codes = a.active
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
	for _, s := range a.params.Spellings {
		t = t.Text(s.Text).Number(uint64(a.places[s.ID] + 1))
		if a.places[s.ID] == notFound {
			t = t.Texts(a.successors(s))
		}
	}
	return t
}

// successors returns the ids of the cards that have the listings of an id that
// was not found.
func (a *Answer) successors(s Spelling) []string {
	return a.view.Moved(a.params.Platform, a.params.IDs[s.ID].Key)
}

// platformName returns the platform as filters shows it.
func (a *Answer) platformName() string {
	if a.params.Platform == 0 {
		return AutoPlatform
	}
	return a.params.Platform.String()
}

package selection

import (
	"slices"
	"strings"

	"gamedex/internal/api/respond"
	"gamedex/internal/api/wire"
	"gamedex/internal/catalog"
	"gamedex/internal/index"
	"gamedex/internal/index/cardset"
)

// Selection is what a request selects. The zero value is ready to use. It keeps
// its memory for the next request.
type Selection struct {
	Params
	View *index.View
	// Cards are the cards that were found, in the order of their ids.
	Cards []index.Card

	found     cardset.Bits     // the cards in Cards
	positions []int32          // of the card of each id in Cards; notFound
	lost      int              // ids that were not found
	spellings spellings        // of the cards
	codes     []catalog.Region // memory of Regions.Codes
	regions   []uint8          // in the order to show; if all are shown, the active ones
	isFirst   [256]bool

	recalled bool // found has none of the cards
	asIDs    bool // with recalled: every card was sent as its id

	prefetched uint64 // the sum that index.LookupEach returns
}

// notFound is the position of an id without a card.
const notFound = -1

// Reset releases what the request pointed to, and keeps the memory.
func (s *Selection) Reset() {
	if !s.recalled {
		for _, c := range s.Cards {
			s.found.Remove(uint32(c.Number()))
		}
	}
	clear(s.Cards)
	*s = Selection{
		Cards: s.Cards[:0], positions: s.positions[:0], spellings: s.spellings.emptied(), found: s.found, codes: s.codes[:0], regions: s.regions[:0],
	}
}

// Find finds the cards of the ids and the regions to show. A card that several
// ids lead to is found once, at the position of the first of them. Before
// AppendRequestedIDs, CollectSpellings is necessary.
func (s *Selection) Find(v *index.View, params Params) {
	s.View, s.Params = v, params
	if !s.recall() {
		s.lookUp()
		s.remember()
	}
	s.findRegions()
}

// lookUp finds the cards of the ids.
func (s *Selection) lookUp() {
	if 64*len(s.found) < s.View.Len() {
		s.found = cardset.None(s.View.Len())
	}
	for ids := range slices.Chunk(s.IDs, index.PrefetchStep) {
		var keys [index.PrefetchStep]string
		var cards [index.PrefetchStep]index.Card
		for i := range ids {
			keys[i] = ids[i].Key
		}
		s.prefetched += s.View.LookupEach(s.Platform, keys[:len(ids)], &cards)
		for _, c := range cards[:len(ids)] {
			s.add(c)
		}
	}
}

// add adds the card of the next id; the zero Card if it has none.
func (s *Selection) add(c index.Card) {
	if c.IsZero() {
		s.lost++
		s.positions = append(s.positions, notFound)
		return
	}
	position := len(s.Cards)
	if n := uint32(c.Number()); s.found.Has(n) { // another id of the card came before
		position = slices.Index(s.Cards, c)
	} else {
		s.found.Add(n)
		s.Cards = append(s.Cards, c)
	}
	s.positions = append(s.positions, int32(position))
}

// CollectSpellings reads by which texts the request named each card.
func (s *Selection) CollectSpellings() {
	if !s.asIDs && !sentAsIDs(s.Spellings, s.positions, s.Cards) {
		s.spellings.collect(s.Spellings, s.positions, s.Cards)
	}
}

// NotFound returns how many ids were not found.
func (s *Selection) NotFound() int { return s.lost }

func (s *Selection) findRegions() {
	active := s.View.Active()
	if s.Regions.All {
		for i := range active {
			s.regions, s.isFirst[active[i].No] = append(s.regions, active[i].No), true
		}
		return
	}
	if len(s.Regions.Codes) == 0 {
		for i := range active {
			s.codes = append(s.codes, active[i].Code)
		}
		s.Regions.Codes = s.codes
	}
	if slices.Contains(s.Regions.Codes, EuroArea) {
		s.expandEuroArea()
	}
	for _, code := range s.Regions.Codes {
		if no, ok := s.View.RegionNo(code); ok {
			s.regions = append(s.regions, no)
		}
	}
}

// expandEuroArea replaces EuroArea by the active regions of the euro area that
// were not named before it.
func (s *Selection) expandEuroArea() {
	add := func(code catalog.Region) {
		if !slices.Contains(s.codes, code) {
			s.codes = append(s.codes, code)
		}
	}
	for _, code := range s.Regions.Codes {
		if code != EuroArea {
			add(code)
			continue
		}
		for i := range s.View.Active() {
			if r := &s.View.Active()[i]; strings.Contains(euroCountries, " "+r.Alpha2+" ") {
				add(r.Code)
			}
		}
	}
	s.Regions.Codes = s.codes
}

// RegionNumbers returns the numbers of the regions to show, in their order. If all
// are shown, these are the active ones, and the others of a card follow.
func (s *Selection) RegionNumbers() []uint8 { return s.regions }

// AppendRows appends the numbers of the rows to show, in their order: that of the
// request or, if all regions are shown, the active ones and then the others
// alphabetically.
func (s *Selection) AppendRows(list []int, rows index.Rows) []int {
	for _, no := range s.regions {
		if i, ok := rows.Find(no); ok {
			list = append(list, i)
		}
	}
	if !s.Regions.All {
		return list
	}
	for i := range rows.Len() {
		if !s.isFirst[rows.Region(i)] {
			list = append(list, i)
		}
	}
	return list
}

// Tag adds to t the parameters, the cards that were found and the ids that were
// not.
func (s *Selection) Tag(t respond.Tag) respond.Tag {
	t = t.Text(s.platformName()).Flag(s.Regions.All)
	for _, r := range s.Regions.Codes {
		t = t.Text(r.String())
	}
	t = t.Number(uint64(len(s.IDs)))
	for _, c := range s.Cards {
		t = t.Text(c.ID()).Number(c.Rev())
	}
	for _, sent := range s.Spellings {
		t = t.Text(sent.Text).Number(uint64(s.positions[sent.ID] + 1))
		if s.positions[sent.ID] == notFound {
			t = t.Texts(s.successors(sent))
		}
	}
	return t
}

// AppendSuccessors appends the cards that have the listings of ids that were not found.
func (s *Selection) AppendSuccessors(list []index.Card) []index.Card {
	for i, position := range s.positions {
		if position == notFound {
			list = s.View.AppendMoved(list, s.Platform, s.IDs[i].Key)
		}
	}
	return list
}

// successors returns the ids of the cards that have the listings of an id that
// was not found.
func (s *Selection) successors(sent Spelling) []string {
	return s.View.Moved(s.Platform, s.IDs[sent.ID].Key)
}

// platformName returns the platform as filters shows it.
func (s *Selection) platformName() string {
	if s.Platform == 0 {
		return AutoPlatform
	}
	return s.Platform.String()
}

// AppendFilters appends the first members of filters: platform and regions.
func (s *Selection) AppendFilters(dst []byte) []byte {
	dst = wire.AppendString(append(dst, `"platform":`...), s.platformName())
	dst = append(dst, `,"regions":[`...)
	if s.Regions.All {
		return append(dst, `"all"]`...)
	}
	for i, r := range s.Regions.Codes {
		dst = wire.AppendComma(dst, i)
		dst = wire.AppendString(dst, r.String())
	}
	return append(dst, ']')
}

// AppendCounts appends the first members of counts: how many games were requested,
// and how many were found and not found.
func (s *Selection) AppendCounts(dst []byte) []byte {
	dst = wire.AppendInt(append(dst, `"requested":`...), int64(len(s.IDs)))
	dst = wire.AppendInt(append(dst, `,"resolved":`...), int64(len(s.Cards)))
	return wire.AppendInt(append(dst, `,"notFound":`...), int64(s.lost))
}

// AppendNotFound appends the members that follow the items: notFound, and moved if
// cards have the listings of ids that were not found. It returns false if the
// client is gone.
func (s *Selection) AppendNotFound(b *respond.Body) bool {
	b.Buf = append(b.Buf, `,"notFound":[`...)
	separator := ``
	for _, sent := range s.Spellings {
		if s.positions[sent.ID] == notFound {
			b.Buf = wire.AppendString(append(b.Buf, separator...), sent.Text)
			separator = `,`
			if !b.SendChunk() {
				return false
			}
		}
	}
	b.Buf = append(b.Buf, ']')
	opening := `,"moved":{`
	for _, sent := range s.Spellings {
		if s.positions[sent.ID] != notFound {
			continue
		}
		if successors := s.successors(sent); len(successors) > 0 {
			b.Buf = wire.AppendString(append(b.Buf, opening...), sent.Text)
			b.Buf = wire.AppendStrings(append(b.Buf, ':'), successors)
			opening = `,`
			if !b.SendChunk() {
				return false
			}
		}
	}
	if opening == `,` {
		b.Buf = append(b.Buf, '}')
	}
	return true
}

// Params are the games and regions of a request.
type Params struct {
	// IDs are the ids of the games, each once, in the order of the request.
	IDs []ID
	// Spellings are the different texts that named them, in the order of the
	// request.
	Spellings []Spelling
	// Platform restricts the search for ids; 0: the console store first, then
	// the PC store.
	Platform catalog.Platform
	Regions  Regions
	// List has the IDs and Spellings, if it is kept; else nil.
	List *List
}

// AutoPlatform is the name of the platform 0.
const AutoPlatform = "auto"

// ID is an id of a request.
type ID struct {
	Sent string // as the client spelled it first
	Key  string // as [catalog.CardID] spells it, or in lower case
}

// Spelling is a text that names an id of a request.
type Spelling struct {
	Text string // as sent
	ID   int32  // number in Params.IDs
}

// Regions are the regions to show.
type Regions struct {
	All bool // all regions that a game has
	// Codes are the regions, each once, in the order of the request. Empty and
	// not All: the active ones.
	Codes []catalog.Region
}

// Numbers returns the numbers of the regions in a view, in the order in which answers show them; never nil.
func (r Regions) Numbers(v *index.View) []uint8 {
	var s Selection
	s.Find(v, Params{Regions: r})
	numbers := append([]uint8{}, s.RegionNumbers()...)
	if r.All {
		for _, code := range v.ListedRegions() {
			if no, ok := v.RegionNo(code); ok && !slices.Contains(numbers, no) {
				numbers = append(numbers, no)
			}
		}
	}
	return numbers
}

// NumbersOrFirst is Numbers for lists of deals, whose default is the first active region that has listings.
func (r Regions) NumbersOrFirst(v *index.View) []uint8 {
	if len(r.Codes) == 0 && !r.All && len(v.Active()) > 0 {
		listed := v.ListedRegions()
		first := max(0, slices.IndexFunc(v.Active(), func(r index.Region) bool { return slices.Contains(listed, r.Code) }))
		return []uint8{v.Active()[first].No}
	}
	return r.Numbers(v)
}

// EuroArea stands for the active regions of the euro area in Regions.Codes. It must not be
// changed.
var EuroArea = catalog.Region{'E', 'U'}

// euroCountries are the countries of the euro area.
const euroCountries = " AT BE BG CY DE EE ES FI FR GR HR IE IT LT LU LV MT NL PT SI SK "

// spellings are the texts by which a request named each card, as lists through
// the spellings of the request. They are empty if each card was named by its id.
type spellings struct {
	first []int32 // card → 1 + number of its first spelling; 0: all are its id
	next  []int32 // spelling → 1 + number of the next one of its card; 0: none
}

const keptSpellings = 4000 // the memory of more is not kept

func (s spellings) emptied() spellings {
	if cap(s.next) > keptSpellings {
		return spellings{}
	}
	return spellings{s.first[:0], s.next[:0]}
}

// collect reads the spellings of a request, whose ids have these positions among the
// cards.
func (s *spellings) collect(sent []Spelling, positions []int32, cards []index.Card) {
	s.first = slices.Grow(s.first, len(cards))[:len(cards)]
	s.next = slices.Grow(s.next, len(sent))[:len(sent)]
	clear(s.first)
	for i := len(sent) - 1; i >= 0; i-- {
		if position := positions[sent[i].ID]; position != notFound {
			s.next[i], s.first[position] = s.first[position], int32(i+1)
		}
	}
	for position, i := range s.first {
		if s.next[i-1] == 0 && sent[i-1].Text == cards[position].ID() {
			s.first[position] = 0
		}
	}
}

// AppendRequestedIDs appends requestedIds of the card at a position of Cards, unless
// its own id is all that was sent.
func (s *Selection) AppendRequestedIDs(dst []byte, position int) []byte {
	if len(s.spellings.first) == 0 || s.spellings.first[position] == 0 {
		return dst
	}
	opening := `,"requestedIds":[`
	for i := s.spellings.first[position]; i != 0; i = s.spellings.next[i-1] {
		dst = wire.AppendString(append(dst, opening...), s.Spellings[i-1].Text)
		opening = `,`
	}
	return append(dst, ']')
}

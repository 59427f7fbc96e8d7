package bulk

import (
	"slices"
	"strconv"

	"gamedex/internal/api/wire"
	"gamedex/internal/catalog"
	"gamedex/internal/index"
)

// shownRow is a row as the answer shows it.
type shownRow struct {
	index.Row
	cents  int64 // in US cents, if hasUSD
	hasUSD bool
}

// read reads row i as it is at the time of the request.
func (s *shownRow) read(a *Answer, rows index.Rows, i int) {
	rows.Read(i, &s.Row)
	s.Pass(a.now)
	if s.EndsAt != 0 {
		a.until = min(a.until, s.EndsAt)
	}
	s.cents, s.hasUSD = a.View.USD(&s.Row)
}

// findRows reads the rows of a card that the answer shows, in its order.
func (a *Answer) findRows(rows index.Rows) {
	a.rowNumbers = a.AppendRows(a.rowNumbers[:0], rows)
	a.rows = slices.Grow(a.rows[:0], len(a.rowNumbers))[:len(a.rowNumbers)]
	for i, number := range a.rowNumbers {
		a.rows[i].read(a, rows, number)
	}
}

// cheapest returns the row with the lowest price in dollars, nil if there is
// none, and among how many rows it is the lowest. Trials never count. Prices
// that are doubtful, or that need a subscription, count only where no other
// price does. The first of equal ones wins. Without a table of rates, dollars are
// compared only if no price is in another currency.
func (a *Answer) cheapest() (row *shownRow, compared int) {
	var best, second *shownRow
	var others int // compared with second
	for i := range a.rows {
		row := &a.rows[i]
		if row.Trial {
			continue
		}
		if !row.hasUSD {
			if row.Current.Known() && a.View.Rates.IsZero() {
				return nil, 0
			}
			continue
		}
		at, count := &best, &compared
		if row.Subscription || row.Doubtful {
			at, count = &second, &others
		}
		*count++
		if *at == nil || row.cents < (*at).cents {
			*at = row
		}
	}
	if best == nil {
		return second, others
	}
	return best, compared
}

// freshest returns the newest time of a price: of the rows shown, or of all
// rows of the card if none is.
func (a *Answer) freshest(rows index.Rows) int64 {
	var newest int64
	for i := range a.rows {
		newest = max(newest, a.rows[i].PricedAt)
	}
	if len(a.rows) == 0 {
		for i := range rows.Len() {
			newest = max(newest, rows.At(i).PricedAt)
		}
	}
	return newest
}

// rowTemplate is the text of a region price around the values of its row.
// Hundreds of rows of an answer have the same template: those of a region that
// agree in currency, edition, discount and the like, see [index.Row.Shared].
type rowTemplate struct {
	key      uint64 // see [rowTemplates.findTemplate]
	name     []byte // of the member: the region's key and a colon
	opening  []byte // before the values of [Answer.appendPrice]
	discount []byte
	flags    []byte // before the product id
	edition  int    // where the edition begins in flags
	source   []byte // before pricedAt
	closing  []byte
}

// rowTemplates is a cache of the templates of an answer. A hash of its key selects
// the slot of a template; one with the same slot takes its place.
type rowTemplates struct {
	slots [1 << slotBits]uint16 // index in list, plus one
	list  []rowTemplate
	text  []byte // of the templates in list, one after the other
}

const (
	slotBits     = 10
	maxTemplates = 1024      // before the cache is emptied
	keptText     = 512 << 10 // bytes of memory for text that is kept for the next answer
)

func (t *rowTemplates) reset() {
	clear(t.slots[:])
	clear(t.list)
	t.list, t.text = t.list[:0], t.text[:0]
	if cap(t.text) > keptText {
		t.text = nil
	}
}

// findTemplate returns the template of a row. It is valid until the next call.
func (t *rowTemplates) findTemplate(v *index.View, platform catalog.Platform, row *shownRow) *rowTemplate {
	// A template depends on what the row shares with others, on its region under
	// the platform's name, and on its flags and discount as they are now.
	key := uint64(row.Shared())<<32 | uint64(row.Region)<<16 | uint64(platform)<<8
	for i, flag := range [...]bool{row.Current == 0, row.Trial, row.Subscription, row.EndsAt != 0} {
		if flag {
			key |= 1 << i
		}
	}
	slot := &t.slots[key*0x9e3779b97f4a7c15>>(64-slotBits)]
	if *slot == 0 || t.list[*slot-1].key != key {
		if len(t.list) == maxTemplates {
			t.reset()
		}
		made := t.format(v, platform, row)
		made.key = key
		t.list = append(t.list, made)
		*slot = uint16(len(t.list))
	}
	return &t.list[*slot-1]
}

// format appends the text of a row's template.
func (t *rowTemplates) format(v *index.View, platform catalog.Platform, row *shownRow) rowTemplate {
	region, start, dst := v.Region(row.Region), len(t.text), t.text
	dst = append(append(append(dst, '"'), region.Key(platform)...), `":`...)
	opening := len(dst)
	dst = append(dst, `{"alpha2":"`...)
	dst = append(append(dst, region.Alpha2...), `",`...)
	dst = appendCurrency(dst, v, row)
	discount := len(dst)
	dst = wire.AppendTextOrNull(append(dst, `,"discountLabel":`...), row.Label())
	dst = wire.AppendTimestampOrNull(append(dst, `,"discountEndAt":`...), row.EndsAt)
	flags := len(dst)
	dst = append(appendFlags(dst, row), `,"edition":`...)
	edition := len(dst)
	dst = append(wire.AppendTextOrNull(dst, row.Edition()), skuMember...)
	source := len(dst)
	dst = wire.AppendTextOrNull(append(dst, `,"source":`...), row.Source())
	dst = append(dst, `,"pricedAt":`...)
	closing := len(dst)
	dst = wire.AppendInt(append(dst, `,"variantsCount":`...), int64(row.Variants))
	t.text = dst
	return rowTemplate{
		name: dst[start:opening], opening: dst[opening:discount], discount: dst[discount:flags], flags: dst[flags:source],
		edition: edition - flags, source: dst[source:closing], closing: dst[closing:],
	}
}

// skuMember is the text between the edition and the product id.
const skuMember = `,"sku":`

func appendFlags(dst []byte, row *shownRow) []byte {
	dst = strconv.AppendBool(append(dst, `,"isFree":`...), row.Current == 0)
	dst = strconv.AppendBool(append(dst, `,"isTrial":`...), row.Trial)
	return strconv.AppendBool(append(dst, `,"isSubPlus":`...), row.Subscription)
}

package bulk

import (
	"strconv"

	"gamedex/internal/api/wire"
	"gamedex/internal/catalog"
	"gamedex/internal/index"
)

// rowTemplate is the text of a region price around the values of its row.
// Hundreds of rows of an answer have the same template: those of a region that
// agree in currency, edition, discount and the like, see [index.Row.Shared].
type rowTemplate struct {
	text []byte
	ends [4]int // of its parts but the last
}

// The parts of a template. The values of [Answer.appendPrice] follow opening,
// the product id follows flags, and pricedAt follows source.
func (t *rowTemplate) opening() []byte  { return t.text[:t.ends[0]] }
func (t *rowTemplate) discount() []byte { return t.text[t.ends[0]:t.ends[1]] }
func (t *rowTemplate) flags() []byte    { return t.text[t.ends[1]:t.ends[2]] }
func (t *rowTemplate) source() []byte   { return t.text[t.ends[2]:t.ends[3]] }
func (t *rowTemplate) closing() []byte  { return t.text[t.ends[3]:] }

// rowTemplates keeps the templates of an answer.
type rowTemplates struct {
	byKey map[uint64]int // in list
	list  []rowTemplate
	text  []byte // of the templates in list, one after the other
}

const (
	maxTemplates = 1024      // at once
	keptText     = 512 << 10 // bytes of memory for text that is kept for the next answer
)

func (t *rowTemplates) reset() {
	clear(t.byKey)
	clear(t.list)
	t.list, t.text = t.list[:0], t.text[:0]
	if cap(t.text) > keptText {
		t.text = nil
	}
}

// find returns the template of a row. It is valid until the next call.
func (t *rowTemplates) find(v *index.View, platform catalog.Platform, row *shownRow) *rowTemplate {
	key := templateKey(platform, row)
	if i, ok := t.byKey[key]; ok {
		return &t.list[i]
	}
	if len(t.list) == maxTemplates {
		t.reset()
	}
	if t.byKey == nil {
		t.byKey = map[uint64]int{}
	}
	t.byKey[key] = len(t.list)
	t.list = append(t.list, t.format(v, platform, row))
	return &t.list[len(t.list)-1]
}

// format appends the text of a row's template.
func (t *rowTemplates) format(v *index.View, platform catalog.Platform, row *shownRow) rowTemplate {
	var ends [4]int
	region, start, dst := v.Region(row.Region), len(t.text), t.text
	dst = append(append(append(dst, '"'), region.Key(platform)...), `":{"alpha2":"`...)
	dst = append(append(dst, region.Alpha2...), `",`...)
	dst = appendCurrency(dst, v, row)
	ends[0] = len(dst) - start
	dst = append(dst, `,"discountLabel":`...)
	dst = wire.AppendTextOrNull(dst, row.Label())
	dst = append(dst, `,"discountEndAt":`...)
	dst = wire.AppendMomentOrNull(dst, row.EndsAt)
	ends[1] = len(dst) - start
	dst = appendFlags(dst, row)
	dst = append(dst, `,"edition":`...)
	dst = wire.AppendTextOrNull(dst, row.Edition())
	dst = append(dst, `,"sku":`...)
	ends[2] = len(dst) - start
	dst = append(dst, `,"source":`...)
	dst = wire.AppendTextOrNull(dst, row.Source())
	dst = append(dst, `,"pricedAt":`...)
	ends[3] = len(dst) - start
	dst = append(dst, `,"variantsCount":`...)
	t.text = wire.AppendInt(dst, int64(row.Variants))
	return rowTemplate{t.text[start:], ends}
}

func appendFlags(dst []byte, row *shownRow) []byte {
	dst = append(dst, `,"isFree":`...)
	dst = strconv.AppendBool(dst, row.Current == 0)
	dst = append(dst, `,"isTrial":`...)
	dst = strconv.AppendBool(dst, row.Trial)
	dst = append(dst, `,"isSubPlus":`...)
	return strconv.AppendBool(dst, row.Subscription)
}

// templateKey returns everything that a template depends on beside the
// snapshot: what the row shares with others, its region under the platform's
// name, and its flags and discount as they are now.
func templateKey(platform catalog.Platform, row *shownRow) uint64 {
	key := uint64(row.Shared())<<32 | uint64(row.Region)<<16 | uint64(platform)<<8
	for i, flag := range [...]bool{row.Current == 0, row.Trial, row.Subscription, row.EndsAt != 0} {
		if flag {
			key |= 1 << i
		}
	}
	return key
}

package bulk

import (
	"bytes"
	"slices"
	"strconv"
	"sync/atomic"
	"weak"

	"gamedex/internal/api/wire"
	"gamedex/internal/catalog"
	"gamedex/internal/index"
)

// rowTemplate is the text of a region price around the values of its row.
// Hundreds of rows of an answer have the same template: those of a region that
// agree in currency, edition, discount and the like, see [index.Row.Shared].
type rowTemplate struct {
	key  uint64
	text []byte
	ends [4]uint32 // of its parts but the last
}

// The parts of a template. The values of [Answer.appendPrice] follow opening,
// the product id follows flags, and pricedAt follows source.
func (t *rowTemplate) opening() []byte  { return t.text[:t.ends[0]] }
func (t *rowTemplate) discount() []byte { return t.text[t.ends[0]:t.ends[1]] }
func (t *rowTemplate) flags() []byte    { return t.text[t.ends[1]:t.ends[2]] }
func (t *rowTemplate) source() []byte   { return t.text[t.ends[2]:t.ends[3]] }
func (t *rowTemplate) closing() []byte  { return t.text[t.ends[3]:] }

// format writes the template of a row.
func (t *rowTemplate) format(v *index.View, platform catalog.Platform, row *shownRow) {
	region := v.Region(row.Region)
	dst := slices.Grow(t.text[:0], usualTemplate)
	dst = append(append(append(dst, '"'), region.Key(platform)...), `":{"alpha2":"`...)
	dst = append(append(dst, region.Alpha2...), `",`...)
	dst = appendCurrency(dst, v, row)
	t.ends[0] = uint32(len(dst))
	dst = append(dst, `,"discountLabel":`...)
	dst = wire.AppendTextOrNull(dst, row.Label())
	dst = append(dst, `,"discountEndAt":`...)
	dst = wire.AppendMomentOrNull(dst, row.EndsAt)
	t.ends[1] = uint32(len(dst))
	dst = appendFlags(dst, row)
	dst = append(dst, `,"edition":`...)
	dst = wire.AppendTextOrNull(dst, row.Edition())
	dst = append(dst, `,"sku":`...)
	t.ends[2] = uint32(len(dst))
	dst = append(dst, `,"source":`...)
	dst = wire.AppendTextOrNull(dst, row.Source())
	dst = append(dst, `,"pricedAt":`...)
	t.ends[3] = uint32(len(dst))
	dst = append(dst, `,"variantsCount":`...)
	t.text = wire.AppendInt(dst, int64(row.Variants))
}

func appendFlags(dst []byte, row *shownRow) []byte {
	dst = append(dst, `,"isFree":`...)
	dst = strconv.AppendBool(dst, row.Current == 0)
	dst = append(dst, `,"isTrial":`...)
	dst = strconv.AppendBool(dst, row.Trial)
	dst = append(dst, `,"isSubPlus":`...)
	return strconv.AppendBool(dst, row.Subscription)
}

const (
	templateBits  = 10
	usualTemplate = 384
	// maxTemplate is the longest template that is kept for other rows, in bytes.
	maxTemplate = 512
)

// Templates keeps the templates of the newest snapshot for all requests. The
// zero value is ready to use.
type Templates struct {
	newest atomic.Pointer[snapshotTemplates]
}

// snapshotTemplates is a hash table of templates. The first of several with the
// same place stays; rows of the others format their templates each time. The
// table takes 600 KiB at most, and usually a tenth of that.
type snapshotTemplates struct {
	snapshot weak.Pointer[index.Snapshot] // does not keep it from being collected
	kept     [1 << templateBits]atomic.Pointer[rowTemplate]
}

// of returns the templates of a snapshot. It drops those of the one before;
// requests that still use them add to what no other request sees.
func (t *Templates) of(s *index.Snapshot) *snapshotTemplates {
	newest, snapshot := t.newest.Load(), weak.Make(s)
	if newest != nil && newest.snapshot == snapshot {
		return newest
	}
	added := &snapshotTemplates{snapshot: snapshot}
	t.newest.Store(added)
	return added
}

// find returns the template of a row. It may be own, freshly formatted, and is
// valid until the next call.
func (t *snapshotTemplates) find(v *index.View, platform catalog.Platform, row *shownRow, own *rowTemplate) *rowTemplate {
	key := templateKey(platform, row)
	at := &t.kept[key*0x9e3779b97f4a7c15>>(64-templateBits)]
	first := at.Load()
	if first != nil && first.key == key {
		return first
	}
	own.format(v, platform, row)
	if first == nil && len(own.text) <= maxTemplate {
		at.CompareAndSwap(nil, &rowTemplate{key: key, text: bytes.Clone(own.text), ends: own.ends})
	}
	return own
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

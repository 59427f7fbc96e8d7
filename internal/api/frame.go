package api

import (
	"bytes"
	"slices"
	"sync/atomic"
	"weak"

	"gamedex/internal/catalog"
	"gamedex/internal/index"
)

// frame is the text of a region price around its own values. Hundreds of rows
// of an answer have the same one: those of a region that agree in currency,
// edition, discount and the like, see [index.Row.Shared].
type frame struct {
	key  uint64
	text []byte
	ends [4]uint32 // of its parts but the last
}

// The parts of a frame. Behind the opening stand the values of
// [pricing.appendPrice], behind the flags the product id, and behind the source
// the time of the price.
func (f *frame) opening() []byte  { return f.text[:f.ends[0]] }
func (f *frame) discount() []byte { return f.text[f.ends[0]:f.ends[1]] }
func (f *frame) flags() []byte    { return f.text[f.ends[1]:f.ends[2]] }
func (f *frame) source() []byte   { return f.text[f.ends[2]:f.ends[3]] }
func (f *frame) closing() []byte  { return f.text[f.ends[3]:] }

// write writes the frame of a row.
func (f *frame) write(v *index.View, platform catalog.Platform, row *shownRow) {
	region := v.Region(row.Region)
	dst := slices.Grow(f.text[:0], usualFrame)
	dst = append(append(append(dst, '"'), region.Key(platform)...), `":{"alpha2":"`...)
	dst = append(append(dst, region.Alpha2...), `",`...)
	dst = appendCurrency(dst, v, row)
	f.ends[0] = uint32(len(dst))
	dst = append(dst, `,"discountLabel":`...)
	dst = appendTextOrNull(dst, row.Label())
	dst = append(dst, `,"discountEndAt":`...)
	dst = appendMomentOrNull(dst, row.EndsAt)
	f.ends[1] = uint32(len(dst))
	dst = appendFlags(dst, row)
	dst = append(dst, `,"edition":`...)
	dst = appendTextOrNull(dst, row.Edition())
	dst = append(dst, `,"sku":`...)
	f.ends[2] = uint32(len(dst))
	dst = append(dst, `,"source":`...)
	dst = appendTextOrNull(dst, row.Source())
	dst = append(dst, `,"pricedAt":`...)
	f.ends[3] = uint32(len(dst))
	dst = append(dst, `,"variantsCount":`...)
	f.text = appendInt(dst, int64(row.Variants))
}

const (
	frameBits  = 10
	usualFrame = 384
	keptFrame  = 512 // bytes of the longest frame that is kept
)

// frames keeps the frames of one snapshot for all requests, each where its key
// leads; the first of several that have one place stays. A row finds its frame
// in a few nanoseconds; at worst each row has one of its own, and all are
// written as if there were no frames. It takes 600 KiB at most, and mostly a
// tenth of it.
type frames struct {
	// snapshot is remembered without keeping it from being collected.
	snapshot weak.Pointer[index.Snapshot]
	kept     [1 << frameBits]atomic.Pointer[frame]
}

// framesOf gives the frames of a snapshot. Those of the one before are dropped:
// requests that still use it write into what nobody else sees.
func (a *API) framesOf(s *index.Snapshot) *frames {
	newest, snapshot := a.frames.Load(), weak.Make(s)
	if newest != nil && newest.snapshot == snapshot {
		return newest
	}
	own := &frames{snapshot: snapshot}
	a.frames.Store(own)
	return own
}

// of gives the frame of a row. It may be spare, written anew, and is to be used
// before the next call.
func (f *frames) of(v *index.View, platform catalog.Platform, row *shownRow, spare *frame) *frame {
	key := frameKey(platform, row)
	at := &f.kept[key*0x9e3779b97f4a7c15>>(64-frameBits)]
	first := at.Load()
	if first != nil && first.key == key {
		return first
	}
	spare.write(v, platform, row)
	if first == nil && len(spare.text) <= keptFrame {
		at.CompareAndSwap(nil, &frame{key: key, text: bytes.Clone(spare.text), ends: spare.ends})
	}
	return spare
}

// frameKey has everything that enters a frame, the snapshot apart: what the row
// shares, its region under the platform's name, and what became of the shared
// flags and the discount by now.
func frameKey(platform catalog.Platform, row *shownRow) uint64 {
	key := uint64(row.Shared())<<32 | uint64(row.Region)<<16 | uint64(platform)<<8
	for i, flag := range [...]bool{row.Current == 0, row.Trial, row.Subscription, row.EndsAt != 0} {
		if flag {
			key |= 1 << i
		}
	}
	return key
}

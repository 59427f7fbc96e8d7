package catalog

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// encodingVersion is the first byte of all stored facts and prose. Other
// versions are rejected: a change of the fields below raises the version and
// keeps the old reader.
const encodingVersion = 1

// maxList bounds the length of a stored list, far above what the feed accepts,
// so that a damaged length is rejected before memory is allocated.
const maxList = 1 << 16

var errTruncated = errors.New("ends in the middle of a field")

// AppendBinary appends the facts in the form that is stored by content: equal
// facts have equal bytes. A nil and an empty list are equal.
func (f *Facts) AppendBinary(dst []byte) []byte {
	dst = append(dst, encodingVersion, byte(f.Type), boolByte(f.Demo))
	for _, s := range [...]string{f.Family, f.FamilyName, f.Slug, f.Title, f.InvariantName, f.Edition} {
		dst = AppendString(dst, s)
	}
	dst = AppendStrings(dst, f.Aliases)
	dst = AppendStrings(dst, f.TitleIDs)
	dst = AppendStrings(dst, f.Platforms)
	dst = AppendStrings(dst, f.Members)
	dst = binary.AppendUvarint(dst, uint64(len(f.Titles)))
	for _, t := range f.Titles {
		dst = AppendString(AppendString(dst, t.Locale), t.Title)
	}
	return dst
}

// ParseFacts reads what AppendBinary wrote. The strings share one copy of b.
func ParseFacts(b []byte) (Facts, error) {
	var f Facts
	r := newFieldReader(b)
	f.Type, f.Demo = Type(r.byte()), r.byte() == 1
	for _, s := range [...]*string{&f.Family, &f.FamilyName, &f.Slug, &f.Title, &f.InvariantName, &f.Edition} {
		*s = r.string()
	}
	f.Aliases, f.TitleIDs, f.Platforms, f.Members = r.strings(), r.strings(), r.strings(), r.strings()
	for range r.count() {
		f.Titles = append(f.Titles, LocalTitle{Locale: r.string(), Title: r.string()})
	}
	if err := r.close(); err != nil {
		return Facts{}, fmt.Errorf("read facts: %w", err)
	}
	return f, nil
}

// AppendBinary appends the prose in the form that is stored by content.
func (p *Prose) AppendBinary(dst []byte) []byte {
	dst = append(dst, encodingVersion)
	for _, s := range p.texts() {
		dst = AppendString(dst, *s)
	}
	return AppendStrings(AppendStrings(dst, p.Genres), p.Screenshots)
}

// ParseProse reads what AppendBinary wrote. The strings share one copy of b.
func ParseProse(b []byte) (Prose, error) {
	var p Prose
	r := newFieldReader(b)
	for _, s := range p.texts() {
		*s = r.string()
	}
	p.Genres, p.Screenshots = r.strings(), r.strings()
	if err := r.close(); err != nil {
		return Prose{}, fmt.Errorf("read prose: %w", err)
	}
	return p, nil
}

// texts returns the single texts in their stored order.
func (p *Prose) texts() [9]*string {
	return [...]*string{&p.Description, &p.Publisher, &p.Developer, &p.ReleaseDate,
		&p.RatingAge, &p.RatingSystem, &p.Thumbnail, &p.Cover, &p.Logo}
}

// ContentHash returns a truncated SHA-256 of everything in a line except its
// key and its three times. Supersede treats a line with the stored hash as a
// repetition.
func (l *Listing) ContentHash() [16]byte {
	b := make([]byte, 0, 1024)
	b = append(b, boolByte(l.Withdrawn))
	b = l.Facts.AppendBinary(b)
	b = l.Prose.AppendBinary(b)
	b = AppendString(AppendString(b, l.Locale), l.StoreURL)
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(l.Popularity))
	sum := sha256.Sum256(l.Price.appendBinary(b))
	return [16]byte(sum[:16])
}

// PriceHash returns the same hash of the price alone. An absent price has one,
// too.
func (l *Listing) PriceHash() [16]byte {
	sum := sha256.Sum256(l.Price.appendBinary(nil))
	return [16]byte(sum[:16])
}

func (p *Price) appendBinary(dst []byte) []byte {
	if p == nil {
		return append(dst, 0)
	}
	dst = append(dst, 1, boolByte(p.Trial), boolByte(p.Subscription))
	for _, s := range [...]string{string(p.Currency), p.BaseText, p.CurrentText, p.DiscountLabel, p.Source} {
		dst = AppendString(dst, s)
	}
	for _, n := range [...]int64{int64(p.Base), int64(p.Current), int64(p.DiscountPercent), int64(p.DiscountEndsAt)} {
		dst = binary.AppendVarint(dst, n)
	}
	return dst
}

func boolByte(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// AppendString appends a text after its length, as stored facts and prose have it: different
// sequences of texts have different bytes.
func AppendString(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// AppendStrings appends a list of texts after its length.
func AppendStrings(dst []byte, list []string) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(list)))
	for _, s := range list {
		dst = AppendString(dst, s)
	}
	return dst
}

// fieldReader reads stored fields one after the other. After the first fault
// it returns zero values; close returns the fault.
type fieldReader struct {
	rest string
	err  error
}

func newFieldReader(b []byte) *fieldReader {
	r := &fieldReader{rest: string(b)}
	if v := r.byte(); r.err == nil && v != encodingVersion {
		r.fail(fmt.Errorf("format is %d, want %d", v, encodingVersion))
	}
	return r
}

func (r *fieldReader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
	r.rest = ""
}

func (r *fieldReader) byte() byte {
	if r.rest == "" {
		r.fail(errTruncated)
		return 0
	}
	b := r.rest[0]
	r.rest = r.rest[1:]
	return b
}

func (r *fieldReader) uvarint() uint64 {
	var n uint64
	for shift := 0; shift < 64; shift += 7 {
		b := r.byte()
		n |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return n
		}
	}
	r.fail(errors.New("a length is malformed"))
	return 0
}

func (r *fieldReader) string() string {
	n := r.uvarint()
	if n > uint64(len(r.rest)) {
		r.fail(errTruncated)
		return ""
	}
	s := r.rest[:n]
	r.rest = r.rest[n:]
	return s
}

func (r *fieldReader) count() int {
	n := r.uvarint()
	if n > maxList || n > uint64(len(r.rest)) {
		r.fail(errors.New("a list is longer than the data"))
		return 0
	}
	return int(n)
}

// strings returns nil for an empty list.
func (r *fieldReader) strings() []string {
	n := r.count()
	if n == 0 {
		return nil
	}
	list := make([]string, n)
	for i := range list {
		list[i] = r.string()
	}
	return list
}

func (r *fieldReader) close() error {
	if r.err == nil && r.rest != "" {
		r.fail(fmt.Errorf("%d bytes after the last field", len(r.rest)))
	}
	return r.err
}

package layout

import (
	"encoding/binary"
	"errors"
	"math"

	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/money"
)

// A record of a lows blob is a history.Past without its currency: a byte of flags, if
// pastMore is set another one, and then only what the flags say is there. Amounts and
// counts are varints. A timestamp is its number in the table of timestamps, or itself: a store
// changes many prices at the same time.
const (
	// The lowest four bits are how the low of the year relates to that of all time, and
	// the low of 90 days to that of the year.
	relationBits   = 2
	relationMask   = 1<<relationBits - 1
	pastLow        = 1 << 4 // there is a low of all time
	pastFree       = 1 << 5
	pastSince      = 1 << 6
	pastMore       = 1 << 7
	moreDays       = 1<<5 - 1 // of the reduction
	moreOver       = moreDays // instead of days: history.Past.Over, without a reduction
	moreReference  = 1 << 5
	moreOtherSince = 1 << 6 // the reduction began at another time than the present amount
)

// How the low of a window relates to that of the longer one.
const (
	relationNone  = iota // there is none
	relationEqual        // it is the same
	relationFirst        // amount and last time are the same
	relationOther        // nothing is
)

// The forms of a timestamp, by the highest bits of its first byte: a number in the table in
// one, two or three bytes, the milliseconds since the origin of the blob in five, or the
// timestamp itself in seven. The table has only timestamps of the second form.
const (
	numberForms = 3
	formShift   = 6
	formBits    = 0x3f
	farFlag     = 0x20
	nearBits    = 37
	farBits     = 53
	nearLength  = TimestampSize
	farLength   = 7
)

const (
	// TimestampSize is the size of a timestamp in the table: milliseconds since the origin.
	TimestampSize = 5
	// MaxTimestamps is how many timestamps the table can number.
	MaxTimestamps = 1 << 22
	// NearInterval is how many milliseconds from the origin a timestamp in the table can be.
	NearInterval = 1 << nearBits
)

// AppendTimestampNumber appends a number below MaxTimestamps of the table of timestamps.
func AppendTimestampNumber(dst []byte, n uint32) []byte {
	switch {
	case n < 1<<6:
		return append(dst, byte(n))
	case n < 1<<14:
		return append(dst, 1<<formShift|byte(n>>8), byte(n))
	}
	return append(dst, 2<<formShift|byte(n>>16), byte(n>>8), byte(n))
}

// IsNear reports whether a timestamp may be in the table.
func IsNear(m, origin catalog.Millis) bool { return m >= origin && m-origin < NearInterval }

// AppendTableTimestamp appends a timestamp, which is near, to the table.
func AppendTableTimestamp(dst []byte, m, origin catalog.Millis) []byte {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(m-origin))
	return append(dst, b[:TimestampSize]...)
}

// AppendTimestamp appends a timestamp that is not in the table. Timestamps outside of 1970 to the
// year 287396 become the nearest one inside.
func AppendTimestamp(dst []byte, m, origin catalog.Millis) []byte {
	var b [8]byte
	if IsNear(m, origin) {
		binary.BigEndian.PutUint64(b[:], numberForms<<(formShift+8*(nearLength-1))|uint64(m-origin))
		return append(dst, b[8-nearLength:]...)
	}
	m = min(max(0, m), 1<<farBits-1)
	binary.BigEndian.PutUint64(b[:], (numberForms<<formShift|farFlag)<<(8*(farLength-1))|uint64(m))
	return append(dst, b[8-farLength:]...)
}

// AppendPast appends the record of a past; timestamp appends a timestamp in one of its forms.
func AppendPast(dst []byte, p *history.Past, timestamp func([]byte, catalog.Millis) []byte) []byte {
	year, days90 := relationTo(&p.Year, &p.AllTime), relationTo(&p.Days90, &p.Year)
	flags := year | days90<<relationBits | bit(p.AllTime.Times > 0, pastLow) | bit(p.FreeUntil != 0, pastFree) | bit(p.Since != 0, pastSince)
	var more byte
	r := &p.Reduction
	switch {
	case p.Over:
		flags, more = flags|pastMore, moreOver
		dst = append(dst, flags, more)
	case r.Since != 0:
		flags, more = flags|pastMore, byte(r.Days)|bit(r.Reference != money.None, moreReference)|bit(r.Since != p.Since, moreOtherSince)
		dst = append(dst, flags, more)
	default:
		dst = append(dst, flags)
	}
	dst = timestamp(dst, p.WatchedSince)
	if flags&pastLow != 0 {
		dst = appendLow(dst, &p.AllTime, relationOther, timestamp)
		dst = appendLow(dst, &p.Year, year, timestamp)
		dst = appendLow(dst, &p.Days90, days90, timestamp)
	}
	if flags&pastFree != 0 {
		dst = timestamp(dst, p.FreeUntil)
	}
	if flags&pastSince != 0 {
		dst = timestamp(dst, p.Since)
	}
	if more&moreReference != 0 {
		dst = appendAmount(dst, r.Reference)
	}
	if more&moreOtherSince != 0 {
		dst = timestamp(dst, r.Since)
	}
	return dst
}

func bit(set bool, flag byte) byte {
	if set {
		return flag
	}
	return 0
}

// relationTo returns how a low relates to that of the longer window.
func relationTo(low, longer *history.Low) byte {
	switch {
	case low.Times == 0:
		return relationNone
	case *low == *longer:
		return relationEqual
	case low.Current == longer.Current && low.LastAt == longer.LastAt:
		return relationFirst
	}
	return relationOther
}

func appendLow(dst []byte, low *history.Low, relation byte, timestamp func([]byte, catalog.Millis) []byte) []byte {
	if relation == relationOther {
		dst = timestamp(appendAmount(dst, low.Current), low.LastAt)
	}
	if relation == relationOther || relation == relationFirst {
		dst = binary.AppendUvarint(timestamp(dst, low.FirstAt), uint64(low.Times))
	}
	return dst
}

// appendAmount appends an amount; one in whole units takes fewer bytes.
func appendAmount(dst []byte, a money.Amount) []byte {
	if a%100 == 0 {
		return binary.AppendUvarint(dst, uint64(a)/100<<1|1)
	}
	return binary.AppendUvarint(dst, uint64(a)<<1)
}

var errPast = errors.New("it is cut off, too long or has a wrong number")

// pastReader reads a record. After a fault it reads zeros.
type pastReader struct {
	left       []byte
	timestamps []byte // the table
	origin     catalog.Millis
	failed     bool
}

// ReadPast reads the record that fills b.
func (l *Lows) ReadPast(b []byte, p *history.Past) error {
	r := pastReader{left: b, timestamps: l.Timestamps, origin: l.Origin}
	r.read(p)
	if r.failed || len(r.left) > 0 {
		return errPast
	}
	return nil
}

func (r *pastReader) read(p *history.Past) {
	*p = history.Past{}
	flags, more := r.byte(), byte(0)
	if flags&pastMore != 0 {
		more = r.byte()
	}
	p.WatchedSince = r.timestamp()
	if flags&pastLow != 0 {
		r.low(&p.AllTime, nil, relationOther)
		r.low(&p.Year, &p.AllTime, flags&relationMask)
		r.low(&p.Days90, &p.Year, flags>>relationBits&relationMask)
	}
	if flags&pastFree != 0 {
		p.FreeUntil = r.timestamp()
	}
	if flags&pastSince != 0 {
		p.Since = r.timestamp()
	}
	switch {
	case flags&pastMore == 0:
	case more == moreOver:
		p.Over = true
	default:
		p.Reduction = history.Reduction{Since: p.Since, Reference: money.None, Days: int(more & moreDays)}
		if more&moreReference != 0 {
			p.Reduction.Reference = r.amount()
		}
		if more&moreOtherSince != 0 {
			p.Reduction.Since = r.timestamp()
		}
		r.failed = r.failed || more&moreDays == moreOver
	}
}

func (r *pastReader) low(low, longer *history.Low, relation byte) {
	if relation == relationNone {
		return
	}
	if relation != relationOther {
		*low = *longer
	} else {
		low.Current, low.LastAt = r.amount(), r.timestamp()
	}
	if relation != relationEqual {
		low.FirstAt, low.Times = r.timestamp(), int(min(r.uvarint(), math.MaxInt32))
	}
	r.failed = r.failed || low.Times < 1
}

func (r *pastReader) byte() byte {
	if len(r.left) == 0 {
		r.failed = true
		return 0
	}
	b := r.left[0]
	r.left = r.left[1:]
	return b
}

func (r *pastReader) uvarint() uint64 {
	if len(r.left) > 0 && r.left[0] < 0x80 { // most
		return uint64(r.byte())
	}
	v, n := binary.Uvarint(r.left)
	if n <= 0 {
		r.failed, n = true, len(r.left)
	}
	r.left = r.left[n:]
	return v
}

func (r *pastReader) amount() money.Amount {
	v := r.uvarint()
	if v&1 == 0 {
		return money.Amount(v >> 1)
	}
	if v>>1 > math.MaxInt64/100 {
		r.failed = true
		return 0
	}
	return money.Amount(v>>1) * 100
}

func (r *pastReader) timestamp() catalog.Millis {
	first := r.byte()
	v, more := uint64(first&formBits), int(first>>formShift)
	if more == numberForms {
		if more = nearLength - 1; first&farFlag != 0 {
			more = farLength - 1
		}
		v = uint64(first & (farFlag - 1))
	}
	if more > len(r.left) {
		r.failed, r.left = true, nil
		return 0
	}
	for _, b := range r.left[:more] {
		v = v<<8 | uint64(b)
	}
	r.left = r.left[more:]
	switch {
	case first>>formShift < numberForms:
		at := TimestampSize * int(v)
		if at >= len(r.timestamps) {
			r.failed = true
			return 0
		}
		b := r.timestamps[at : at+TimestampSize]
		return r.origin + catalog.Millis(uint64(binary.LittleEndian.Uint32(b))|uint64(b[TimestampSize-1])<<32)
	case first&farFlag != 0:
		return catalog.Millis(v)
	}
	return r.origin + catalog.Millis(v)
}

package history

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
)

// MaxRow is the most steps of an encoded row. A row of that length fits one page of SQLite.
const MaxRow = 64

// An encoded row is a version, its steps and their CRC-32C. A step is a byte of flags, its
// time, the currency and the change of the base if they differ from those of the step
// before, what the price is below the base, and the end of the discount. The first step
// follows on the zero Step. Numbers are varints; see appendTime for times. In version 1,
// times are milliseconds since the step before, ends are milliseconds since the time, and
// a row has at most 128 steps.
const (
	rowVersion    = 2
	formerVersion = 1
	formerMaxRow  = 128
	sumLength     = 4
	usualStep     = 8 // bytes; only the memory for steps depends on it
)

// The flags of an encoded step. The lowest two bits are its state.
const (
	stateBits      = 3
	flagTrial byte = 1 << (iota + 1)
	flagSubscription
	flagDoubtful
	flagCurrency // differs
	flagBase     // differs
	flagEnds
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// AppendRow appends the encoded row of at most MaxRow steps, each later than the one before.
// It returns an error if a step cannot be stored.
func AppendRow(dst []byte, steps []Step) ([]byte, error) {
	if len(steps) > MaxRow {
		return dst, fmt.Errorf("encode %d steps: a row has at most %d", len(steps), MaxRow)
	}
	start := len(dst)
	dst = append(dst, rowVersion)
	var before Step
	for i := range steps {
		if err := steps[i].check(&before); err != nil {
			return dst[:start], fmt.Errorf("encode step %d: %w", i+1, err)
		}
		dst = steps[i].append(dst, &before)
		before = steps[i]
	}
	return binary.LittleEndian.AppendUint32(dst, crc32.Checksum(dst[start:], castagnoli)), nil
}

// Check returns what is wrong with the first step that cannot be stored, counted from 1.
func Check(steps []Step) error {
	var before Step
	for i := range steps {
		if err := steps[i].check(&before); err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
		before = steps[i]
	}
	return nil
}

// check returns what is wrong with a step that follows another.
func (s *Step) check(before *Step) error {
	switch {
	case s.State < Priced || s.State > Gone:
		return fmt.Errorf("state %d: must be from %d to %d", s.State, Priced, Gone)
	case s.At <= before.At:
		return fmt.Errorf("time %s: must be after %s", s.At.Time().Format(time.RFC3339Nano), before.At.Time().Format(time.RFC3339Nano))
	case len(s.Currency) != 0 && len(s.Currency) != 3:
		return fmt.Errorf("currency %q: must have three letters or none", s.Currency)
	case s.Base < money.None || s.Current < money.None:
		return fmt.Errorf("base %d, current %d: must not be below %d", s.Base, s.Current, money.None)
	case s.State == Priced && (!s.Current.Known() || s.Currency == ""):
		return errors.New("a price without an amount or a currency")
	case s.EndsAt < 0:
		return fmt.Errorf("end of the discount %d: must not be negative", s.EndsAt)
	case s.At >= maxTime || s.EndsAt >= maxTime:
		return fmt.Errorf("time %d, end of the discount %d: must be below %d", s.At, s.EndsAt, maxTime)
	}
	return nil
}

func (s *Step) append(dst []byte, before *Step) []byte {
	flags := byte(s.State-Priced) | bit(s.Trial, flagTrial) | bit(s.Subscription, flagSubscription) | bit(s.Doubtful, flagDoubtful) |
		bit(s.Currency != before.Currency, flagCurrency) | bit(s.Base != before.Base, flagBase) | bit(s.EndsAt != 0, flagEnds)
	dst = append(dst, flags)
	dst = appendTime(dst, s.At, before.next())
	if flags&flagCurrency != 0 {
		var code [3]byte
		copy(code[:], s.Currency)
		dst = append(dst, code[:]...)
	}
	if flags&flagBase != 0 {
		dst = binary.AppendVarint(dst, int64(s.Base-before.Base))
	}
	dst = binary.AppendVarint(dst, int64(s.Base-s.Current))
	if flags&flagEnds != 0 {
		dst = appendTime(dst, s.EndsAt, s.At)
	}
	return dst
}

// next returns the time that the next step is stored from: many follow the end of a
// discount.
func (s *Step) next() catalog.Millis { return max(s.At, s.EndsAt) }

// The units of stored times, besides hour and the millisecond. Most discounts end at a full
// hour or minute.
const (
	second = catalog.Millis(time.Second / time.Millisecond)
	minute = 60 * second
)

// maxTime is above all times. It leaves room for the unit of a stored time.
const maxTime catalog.Millis = 1 << 58

// appendTime appends a time as a number of the largest unit in which it is whole, counted
// from another time, and in the lowest two bits the unit.
func appendTime(dst []byte, m, from catalog.Millis) []byte {
	unit, n := 0, m-from
	switch {
	case m%hour == 0:
		unit, n = 3, m/hour-from/hour
	case m%minute == 0:
		unit, n = 2, m/minute-from/minute
	case m%second == 0:
		unit, n = 1, m/second-from/second
	}
	return binary.AppendVarint(dst, int64(n)<<2|int64(unit))
}

func bit(set bool, flag byte) byte {
	if set {
		return flag
	}
	return 0
}

// AppendSteps appends the steps of an encoded row. It returns an error if the row is
// damaged, or of a newer version of the program.
func AppendSteps(steps []Step, row []byte) ([]Step, error) {
	n := len(row) - sumLength
	switch {
	case n < 1:
		return steps, fmt.Errorf("a row of %d bytes: damaged", len(row))
	case crc32.Checksum(row[:n], castagnoli) != binary.LittleEndian.Uint32(row[n:]):
		return steps, errors.New("the checksum of a row is wrong: damaged")
	case row[0] != rowVersion && row[0] != formerVersion:
		return steps, fmt.Errorf("a row of version %d; this program reads up to %d", row[0], rowVersion)
	}
	former, most := row[0] == formerVersion, MaxRow
	if former {
		most = formerMaxRow
	}
	steps = slices.Grow(steps, n/usualStep)
	before, left := &Step{}, row[1:n]
	for i := 0; len(left) > 0; i++ {
		steps = append(steps, Step{})
		s := &steps[len(steps)-1]
		var err error
		switch left = s.read(left, before, former); {
		case left == nil:
			err = errors.New("it is cut off")
		case i == most:
			err = fmt.Errorf("a row has at most %d", most)
		default:
			err = s.check(before)
		}
		if err != nil {
			return steps[:len(steps)-1], fmt.Errorf("decode step %d: %w", i+1, err)
		}
		before = s
	}
	return steps, nil
}

// read reads a zero step from an encoded row and returns what is left of the row; nil if the
// row is cut off.
func (s *Step) read(row []byte, before *Step, former bool) (left []byte) {
	flags, left := row[0], row[1:]
	s.State = Priced + State(flags&stateBits)
	s.Trial, s.Subscription, s.Doubtful = flags&flagTrial != 0, flags&flagSubscription != 0, flags&flagDoubtful != 0
	if former {
		var after uint64
		after, left = readUvarint(left)
		s.At = before.At + catalog.Millis(after)
	} else {
		s.At, left = readTime(left, before.next())
	}
	s.Currency, s.Base = before.Currency, before.Base
	if flags&flagCurrency != 0 {
		s.Currency, left = readCurrency(left)
	}
	var change int64
	if flags&flagBase != 0 {
		change, left = readVarint(left)
		s.Base += money.Amount(change)
	}
	change, left = readVarint(left)
	s.Current = s.Base - money.Amount(change)
	switch {
	case flags&flagEnds == 0:
	case former:
		change, left = readVarint(left)
		s.EndsAt = s.At + catalog.Millis(change)
	default:
		s.EndsAt, left = readTime(left, s.At)
	}
	return left
}

// readTime reads what appendTime appends.
func readTime(row []byte, from catalog.Millis) (m catalog.Millis, left []byte) {
	v, left := readVarint(row)
	n := catalog.Millis(v >> 2)
	switch v & 3 {
	case 3:
		return (from/hour + n) * hour, left
	case 2:
		return (from/minute + n) * minute, left
	case 1:
		return (from/second + n) * second, left
	}
	return from + n, left
}

func readCurrency(row []byte) (c money.Currency, left []byte) {
	if len(row) < 3 {
		return "", nil
	}
	if row[0] != 0 {
		c = money.Currency(row[:3])
	}
	return c, row[3:]
}

// readVarint reads what binary.AppendVarint appends, and returns what is left of the row; nil
// if the row is cut off.
func readVarint(row []byte) (v int64, left []byte) {
	u, left := readUvarint(row)
	return int64(u>>1) ^ -int64(u&1), left
}

// readUvarint is like readVarint. With binary.Uvarint, a row takes a fifth longer.
func readUvarint(row []byte) (v uint64, left []byte) {
	for i, b := range row {
		v |= uint64(b&0x7f) << (7 * i & 63)
		if b < 0x80 && i < binary.MaxVarintLen64 {
			return v, row[i+1:]
		}
	}
	return 0, nil
}

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

// MaxRow is the most steps of an encoded row.
const MaxRow = 128

// An encoded row is a version, its steps and their CRC-32C. A step is a byte of flags, the
// time since the step before, the currency and the change of the base if they differ from
// those of the step before, what the price is below the base, and how long the discount
// lasts. The first step follows on the zero Step. Numbers are varints.
const (
	rowVersion = 1
	sumLength  = 4
	usualStep  = 10 // bytes; only the memory for steps depends on it
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
	}
	return nil
}

func (s *Step) append(dst []byte, before *Step) []byte {
	flags := byte(s.State-Priced) | bit(s.Trial, flagTrial) | bit(s.Subscription, flagSubscription) | bit(s.Doubtful, flagDoubtful) |
		bit(s.Currency != before.Currency, flagCurrency) | bit(s.Base != before.Base, flagBase) | bit(s.EndsAt != 0, flagEnds)
	dst = append(dst, flags)
	dst = binary.AppendUvarint(dst, uint64(s.At-before.At))
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
		dst = binary.AppendVarint(dst, int64(s.EndsAt-s.At))
	}
	return dst
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
	case row[0] != rowVersion:
		return steps, fmt.Errorf("a row of version %d; this program reads %d", row[0], rowVersion)
	}
	r := reader{left: row[1:n]}
	steps = slices.Grow(steps, n/usualStep)
	var s Step
	for i := 0; len(r.left) > 0; i++ {
		before := s
		s = r.step(&before)
		err := r.err
		if err == nil {
			err = s.check(&before)
		}
		if err == nil && i == MaxRow {
			err = fmt.Errorf("a row has at most %d", MaxRow)
		}
		if err != nil {
			return steps, fmt.Errorf("decode step %d: %w", i+1, err)
		}
		steps = append(steps, s)
	}
	return steps, nil
}

// reader reads an encoded row. After an error it reads zeros.
type reader struct {
	left []byte
	err  error
}

func (r *reader) step(before *Step) Step {
	flags := r.bytes(1)[0]
	s := Step{
		State: Priced + State(flags&stateBits), Trial: flags&flagTrial != 0, Subscription: flags&flagSubscription != 0, Doubtful: flags&flagDoubtful != 0,
		At: before.At + catalog.Millis(r.uvarint()), Currency: before.Currency, Base: before.Base,
	}
	if flags&flagCurrency != 0 {
		if code := r.bytes(3); code[0] == 0 {
			s.Currency = ""
		} else {
			s.Currency = money.Currency(code)
		}
	}
	if flags&flagBase != 0 {
		s.Base += money.Amount(r.varint())
	}
	s.Current = s.Base - money.Amount(r.varint())
	if flags&flagEnds != 0 {
		s.EndsAt = s.At + catalog.Millis(r.varint())
	}
	return s
}

var errShort = errors.New("it is cut off")

func (r *reader) bytes(n int) []byte {
	if r.err != nil || len(r.left) < n {
		r.err = errShort
		return make([]byte, n)
	}
	b := r.left[:n]
	r.left = r.left[n:]
	return b
}

func (r *reader) uvarint() uint64 {
	v, n := binary.Uvarint(r.left)
	r.skip(n)
	return v
}

func (r *reader) varint() int64 {
	v, n := binary.Varint(r.left)
	r.skip(n)
	return v
}

// skip skips a varint of n bytes; n is not positive if there is none.
func (r *reader) skip(n int) {
	if n <= 0 {
		r.err, r.left = errShort, nil
		return
	}
	r.left = r.left[n:]
}

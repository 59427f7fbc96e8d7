package wire

import (
	"encoding/binary"
	"math/bits"
	"strconv"

	"gamedex/internal/money"
)

// AppendInt appends n in decimal. Nearly all numbers have at most eight digits:
// those are computed in one word without a loop.
func AppendInt(dst []byte, n int64) []byte {
	if n < 0 || n >= 1e8 || cap(dst)-len(dst) < 8 {
		return strconv.AppendInt(dst, n, 10)
	}
	digits := eightDigits(uint32(n))
	zeros := bits.TrailingZeros64(digits|1<<56) / 8 // leading; the last digit stays
	dst = binary.LittleEndian.AppendUint64(dst, (digits|0x3030303030303030)>>(8*zeros))
	return dst[:len(dst)-zeros]
}

// eightDigits spreads a number below 1e8 over the bytes of a word, the first
// digit in the lowest byte. It divides by 10000, then both halves by 100, then
// all four quarters by 10, with one multiplication for all parts each time: for
// so few bits, n*10486>>20 is n/100 and n*103>>10 is n/10.
func eightDigits(n uint32) uint64 {
	v := uint64(n/1e4) | uint64(n%1e4)<<32
	hundreds := v * 10486 >> 20 & 0x0000007f_0000007f
	v = hundreds | (v-100*hundreds)<<16
	tens := v * 103 >> 10 & 0x000f_000f_000f_000f
	return tens | (v-10*tens)<<8
}

// AppendAmount appends an amount in hundredths, null if it is not known.
func AppendAmount(dst []byte, a money.Amount) []byte {
	if !a.Known() {
		return append(dst, `null`...)
	}
	return AppendInt(dst, int64(a))
}

package wire

import (
	"strconv"

	"gamedex/internal/money"
)

// AppendInt appends n in decimal.
func AppendInt(dst []byte, n int64) []byte { return strconv.AppendInt(dst, n, 10) }

// AppendAmount appends an amount in hundredths, null if it is not known.
func AppendAmount(dst []byte, a money.Amount) []byte {
	if !a.Known() {
		return append(dst, `null`...)
	}
	return AppendInt(dst, int64(a))
}

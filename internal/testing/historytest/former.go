package historytest

import (
	"encoding/binary"
	"hash/crc32"

	"gamedex/internal/history"
)

// FormerRow returns the row of version 1 of up to 128 steps, as programs before schema 13
// wrote it.
func FormerRow(steps []history.Step) []byte {
	row := []byte{1}
	var before history.Step
	for _, s := range steps {
		flags := byte(s.State - history.Priced)
		for i, set := range []bool{s.Trial, s.Subscription, s.Doubtful, s.Currency != before.Currency, s.Base != before.Base, s.EndsAt != 0} {
			if set {
				flags |= 4 << i
			}
		}
		row = append(row, flags)
		row = binary.AppendUvarint(row, uint64(s.At-before.At))
		if s.Currency != before.Currency {
			row = append(row, append([]byte(s.Currency), 0, 0, 0)[:3]...)
		}
		if s.Base != before.Base {
			row = binary.AppendVarint(row, int64(s.Base-before.Base))
		}
		row = binary.AppendVarint(row, int64(s.Base-s.Current))
		if s.EndsAt != 0 {
			row = binary.AppendVarint(row, int64(s.EndsAt-s.At))
		}
		before = s
	}
	return binary.LittleEndian.AppendUint32(row, crc32.Checksum(row, crc32.MakeTable(crc32.Castagnoli)))
}

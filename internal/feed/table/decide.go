package table

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"gamedex/internal/money"
)

// CopyNames is the pattern of the names of the copies of tables.
const CopyNames = "gamedex-import-*"

// decide finds the decimal mark of the columns price and fullPrice from all of their cells.
// It copies the table to a file, which the Reader then reads.
func (r *Reader) decide(in io.Reader) error {
	if err := r.copyTable(in); err != nil {
		return fmt.Errorf("copy the table: %w", err)
	}
	if err := r.rewind(); err != nil {
		return err
	}
	if err := r.readMarks(); err != nil {
		return err
	}
	return r.rewind()
}

// copyTable copies what was read and the rest of the input. An error of the input is no
// error of copyTable: it follows the copy, so the rows before it are read.
func (r *Reader) copyTable(in io.Reader) (err error) {
	if r.copy, err = os.CreateTemp(r.options.TempDir, CopyNames); err != nil {
		return err
	}
	_ = os.Remove(r.copy.Name()) // Close tries again
	rest := &failing{in: in}
	if _, err = r.copy.Write(r.in.seen); err == nil {
		_, err = io.Copy(r.copy, rest)
	}
	r.copyEnd = rest.failed
	return err
}

// failing ends at an error, and keeps it.
type failing struct {
	in     io.Reader
	failed error
}

// Read implements io.Reader.
func (f *failing) Read(p []byte) (int, error) {
	if f.failed != nil {
		return 0, io.EOF
	}
	n, err := f.in.Read(p)
	if err != nil && err != io.EOF {
		f.failed, err = err, io.EOF
	}
	return n, err
}

// rewind goes to the row behind the header of the copy.
func (r *Reader) rewind() error {
	if _, err := r.copy.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("read the copy of the table: %w", err)
	}
	r.in = &bounded{in: bufio.NewReaderSize(r.copy, 1<<16), left: maxRow, end: r.copyEnd}
	r.newRows()
	_, err := r.rows.Read()
	return err
}

// Close releases the copy of the table, if there is one.
func (r *Reader) Close() error {
	if r.copy == nil {
		return nil
	}
	_ = os.Remove(r.copy.Name()) // most systems have removed the name already
	return r.copy.Close()
}

// writtenCell is a cell that is shown as an example.
type writtenCell struct {
	line int
	text string
}

func (c writtenCell) String() string { return fmt.Sprintf("line %d has %q", c.line, c.text) }

// readMarks reads all rows and sets point or mixed.
func (r *Reader) readMarks() error {
	found := map[rune]writtenCell{} // the first cell that has the mark; 0: that may have either
	for {
		cells, err := r.readRow()
		if _, broken := errors.AsType[*csv.ParseError](err); broken {
			continue
		}
		if err != nil {
			break // Next reports it
		}
		if len(cells) < r.cells {
			continue
		}
		for _, c := range r.money {
			mark, sure := money.DecimalMark(cells[c.at])
			switch {
			case mark == 0:
				continue
			case !sure && r.hasNoDecimals(cells, c):
				mark = otherMark(mark)
			case !sure:
				mark = 0
			}
			if _, known := found[mark]; !known {
				line, _ := r.rows.FieldPos(0)
				found[mark] = writtenCell{r.skipped + line, cells[c.at]}
			}
		}
	}
	point, isPoint := found['.']
	comma, isComma := found[',']
	unsure, isUnsure := found[0]
	switch {
	case isPoint && isComma:
		r.mixed = true
		r.notes = append(r.notes, fmt.Sprintf("prices have both decimal marks (%v, %v), so each cell is read separately", point, comma))
	case isPoint:
		r.point = '.'
	case isComma:
		r.point = ','
	case isUnsure:
		return fmt.Errorf("%s: %v, and no cell shows whether that is a decimal mark or separates thousands: give --decimal \",\" or --decimal \".\"", r.moneyNames(), unsure)
	}
	return nil
}

// hasNoDecimals reports whether the amount of a cell is in a currency without decimals, in
// which a mark before three digits separates thousands.
func (r *Reader) hasNoDecimals(cells []string, c column) bool {
	region := r.region(cells)
	own, _ := r.ownCurrency(region, cells)
	named, reason := r.currencyOf(c, region, cells[c.at], own)
	return reason == "" && cmp.Or(named, own).Digits() == 0
}

func (r *Reader) moneyNames() string {
	var names []string
	for _, c := range r.money {
		names = append(names, c.header)
	}
	return strings.Join(names, ", ")
}

package alternatives

import (
	"bytes"
	"encoding/gob"

	"gamedex/internal/index"
)

// Columns are a snapshot as one would write it for encoding/gob: a slice for each
// field, and texts as indexes of one list.
type Columns struct {
	Texts []string

	CardID, Title, Edition, Invariant, Publisher, ReleaseDate, Cover, StoreURL []uint32 // by card
	Rows                                                                       []uint32 // by card: how many

	Region, Currency, Flags, Percent              []byte // by row
	Base, Current                                 []int64
	EndsAt, PricedAt                              []int64
	BaseText, CurrentText, Product, Label, Source []uint32
	RowEdition, Link                              []uint32
	Variants                                      []uint16
}

// ColumnsOf copies everything out of a snapshot.
func ColumnsOf(s *index.Snapshot) *Columns {
	c := &Columns{Texts: []string{""}}
	numbers := map[string]uint32{"": 0}
	number := func(text string) uint32 {
		n, known := numbers[text]
		if !known {
			n = uint32(len(c.Texts))
			numbers[text] = n
			c.Texts = append(c.Texts, text)
		}
		return n
	}
	for i := range s.Len() {
		card := s.Card(i)
		c.CardID = append(c.CardID, number(card.ID()))
		c.Title = append(c.Title, number(card.Title()))
		c.Edition = append(c.Edition, number(card.EditionName()))
		c.Invariant = append(c.Invariant, number(card.InvariantName()))
		c.Publisher = append(c.Publisher, number(card.Publisher()))
		c.ReleaseDate = append(c.ReleaseDate, number(card.ReleaseDate()))
		c.Cover = append(c.Cover, number(card.Cover()))
		c.StoreURL = append(c.StoreURL, number(card.StoreURL()))
		rows := card.Rows()
		c.Rows = append(c.Rows, uint32(rows.Len()))
		for j := range rows.Len() {
			c.addRow(rows.At(j), number)
		}
	}
	return c
}

func (c *Columns) addRow(r index.Row, number func(string) uint32) {
	c.Region = append(c.Region, r.Region)
	c.Currency = append(c.Currency, r.Currency)
	c.Flags = append(c.Flags, flag(r.Priced, 1)|flag(r.Trial, 2)|flag(r.Subscription, 4)|flag(r.Doubtful, 8))
	c.Percent = append(c.Percent, byte(r.Percent))
	c.Base, c.Current = append(c.Base, int64(r.Base)), append(c.Current, int64(r.Current))
	c.EndsAt, c.PricedAt = append(c.EndsAt, r.EndsAt), append(c.PricedAt, r.PricedAt)
	c.BaseText, c.CurrentText = append(c.BaseText, number(r.BaseText())), append(c.CurrentText, number(r.CurrentText()))
	c.Product, c.Label = append(c.Product, number(r.Product())), append(c.Label, number(r.Label()))
	c.Source, c.RowEdition = append(c.Source, number(r.Source())), append(c.RowEdition, number(r.Edition()))
	c.Link = append(c.Link, uint32(flag(r.HasURL(), 1)))
	c.Variants = append(c.Variants, uint16(r.Variants))
}

func flag(on bool, bit byte) byte {
	if on {
		return bit
	}
	return 0
}

// Encode encodes the columns with gob.
func (c *Columns) Encode() ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(c)
	return b.Bytes(), err
}

// DecodeColumns decodes what [Columns.Encode] returned.
func DecodeColumns(data []byte) (*Columns, error) {
	c := new(Columns)
	err := gob.NewDecoder(bytes.NewReader(data)).Decode(c)
	return c, err
}

package catalog

// SaveCounts says what became of the listings of a save: how many were not
// known before, brought other content, repeated what is stored, or were older
// than what is stored.
type SaveCounts struct{ New, Changed, Unchanged, Older int }

// Add sums two counts.
func (c SaveCounts) Add(o SaveCounts) SaveCounts {
	return SaveCounts{c.New + o.New, c.Changed + o.Changed, c.Unchanged + o.Unchanged, c.Older + o.Older}
}

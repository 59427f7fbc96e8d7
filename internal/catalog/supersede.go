package catalog

// Stored is the record of a listing besides its content. It decides whether a
// new line replaces the listing.
type Stored struct {
	FirstSeen   Millis // the earliest line known, withdrawn or not
	ObservedAt  Millis // of the line that brought the current content
	SeenAt      Millis // of the newest line that was not older
	PricedAt    Millis // of the line that brought the current price
	Withdrawn   bool
	ContentHash [16]byte
	PriceHash   [16]byte
}

// Effect is what a line did to the stored listings.
type Effect uint8

// The four outcomes of a line.
const (
	New Effect = iota + 1
	Changed
	Unchanged
	Older
)

// String returns the word that import prints.
func (e Effect) String() string {
	return [...]string{"", New: "new", Changed: "changed", Unchanged: "unchanged", Older: "older"}[e]
}

// Outcome is what Supersede decided.
type Outcome struct {
	Effect Effect
	// Stored is the new record. After New and Changed the content of the line is
	// stored with it; after the other two the stored content stays. A line that
	// withdraws has no content: the stored content may be kept.
	Stored Stored
	// Generation reports whether Merge may see a difference: the content changed,
	// or the first-seen time is earlier.
	Generation bool
}

// Supersede decides what a line does to the stored listing of its key; stored
// is nil if there is none. An older line, and one that repeats the content,
// may still lower the first-seen time, which then needs a generation too: it
// decides which card keeps an id.
func Supersede(stored *Stored, line *Listing) Outcome {
	content, price := line.ContentHash(), line.PriceHash()
	if stored == nil {
		return Outcome{Effect: New, Generation: true, Stored: Stored{
			FirstSeen: firstSeen(line), ObservedAt: line.ObservedAt, SeenAt: line.ObservedAt, PricedAt: pricedAt(line),
			Withdrawn: line.Withdrawn, ContentHash: content, PriceHash: price,
		}}
	}
	next := *stored
	next.FirstSeen = min(next.FirstSeen, firstSeen(line))
	out := Outcome{Generation: next.FirstSeen != stored.FirstSeen}
	repeats := stored.ContentHash == content
	if stored.Withdrawn || line.Withdrawn { // without content: two withdrawals are always the same
		repeats = stored.Withdrawn == line.Withdrawn
	}
	switch {
	case line.ObservedAt < stored.SeenAt:
		out.Effect = Older
	case repeats:
		out.Effect = Unchanged
		next.SeenAt = line.ObservedAt
	default:
		out.Effect, out.Generation = Changed, true
		next.ObservedAt, next.SeenAt, next.Withdrawn = line.ObservedAt, line.ObservedAt, line.Withdrawn
		if !line.Withdrawn {
			// The price keeps its time while it is on sale and the same.
			if stored.Withdrawn || price != next.PriceHash {
				next.PriceHash, next.PricedAt = price, pricedAt(line)
			}
			next.ContentHash = content
		}
	}
	out.Stored = next
	return out
}

func firstSeen(line *Listing) Millis {
	if line.FirstSeenAt != 0 {
		return min(line.FirstSeenAt, line.ObservedAt)
	}
	return line.ObservedAt
}

func pricedAt(line *Listing) Millis {
	if line.PricedAt != 0 {
		return line.PricedAt
	}
	return line.ObservedAt
}

// SaveCounts counts the listings of a save by outcome: how many were not known
// before, brought other content, repeated what is stored, or were older than
// what is stored.
type SaveCounts struct{ New, Changed, Unchanged, Older int }

// Add returns the sum of two counts.
func (c SaveCounts) Add(o SaveCounts) SaveCounts {
	return SaveCounts{c.New + o.New, c.Changed + o.Changed, c.Unchanged + o.Unchanged, c.Older + o.Older}
}

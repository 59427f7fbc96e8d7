package listings

import (
	"context"
	"fmt"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sweep"
)

// writes holds the lines of a batch by how they are written.
type writes struct {
	fresh   []*decided // bring a new key
	rewrite []*decided // bring content to a known key
	updates []*decided // change the stored row, without content
	touches map[touch][]string
	marked  []*decided // only seen again, by a part with a mark
	raise   bool       // Merge may see a difference
}

// touch is the common key of listings that were only seen again: their region, the
// time and the owner.
type touch struct {
	PlatformRegion
	seenAt catalog.Millis
	swept  sweep.Owner
}

func (w *writes) addLine(d *decided, mark func(catalog.Key) int64) {
	w.raise = w.raise || d.Generation
	switch {
	case d.stored == nil:
		w.fresh = append(w.fresh, d)
		return
	case d.Effect == catalog.Changed && !d.line.Withdrawn: // a withdrawal keeps the stored content
		w.rewrite = append(w.rewrite, d)
		return
	}
	seen := d.stored.Stored
	seen.SeenAt = d.Outcome.Stored.SeenAt
	switch {
	case d.stored.Stored == d.Outcome.Stored && d.stored.swept == d.swept:
		return
	case seen != d.Outcome.Stored:
		w.updates = append(w.updates, d)
		return
	}
	if mark != nil {
		d.mark = mark(d.line.Key)
	}
	if d.mark != 0 {
		w.marked = append(w.marked, d)
		return
	}
	at := touch{PlatformRegion{d.line.Platform, d.line.Region}, seen.SeenAt, d.swept}
	w.touches[at] = append(w.touches[at], d.line.Product)
}

// numberContents looks up or inserts all facts and prose.
func (s *Saving) numberContents(ctx context.Context, rows []*decided) error {
	if s.facts.epoch == "" && len(rows) > 0 {
		if _, err := s.tx.FindRow(ctx, "SELECT "+s.epoch, nil, []any{&s.facts.epoch}); err != nil {
			return err
		}
		s.prose.epoch = s.facts.epoch
	}
	var body []byte
	for _, d := range rows {
		body = d.line.Facts.AppendBinary(body[:0])
		s.facts.addContent(body, 0)
		fields := d.line.Prose.Fields()
		if body = body[:0]; fields != 0 {
			body = d.line.Prose.AppendBinary(body)
		}
		s.prose.addContent(body, fields)
	}
	if err := s.facts.number(ctx, s.tx); err != nil {
		return fmt.Errorf("store facts: %w", err)
	}
	if err := s.prose.number(ctx, s.tx); err != nil {
		return fmt.Errorf("store prose: %w", err)
	}
	for i, d := range rows {
		d.factsID, d.proseID = s.facts.ids[i], s.prose.ids[i]
	}
	s.facts.reset()
	s.prose.reset()
	return nil
}

// writeContent stores the lines that bring content.
func (s *Saving) writeContent(ctx context.Context, w *writes) error {
	_, err := s.tx.InsertRows(ctx, &insertListing, len(w.fresh), func(args []any, i int) []any {
		return s.appendRow(args, w.fresh[i])
	})
	if err != nil {
		return err
	}
	_, err = s.tx.UpdateRows(ctx, &rewriteListing, len(w.rewrite), func(args []any, i int) []any {
		return s.appendRow(args, w.rewrite[i])
	})
	return err
}

func (s *Saving) appendRow(args []any, d *decided) []any {
	l, st := d.line, &d.Outcome.Stored
	args = append(args, s.generation,
		int64(st.FirstSeen), int64(st.ObservedAt), int64(st.SeenAt), int64(st.PricedAt), engine.BoolInt(st.Withdrawn))
	flags, p := int64(0), l.Price
	if p == nil {
		p = &catalog.Price{Base: money.None, Current: money.None, DiscountPercent: catalog.NoPercent}
	} else {
		flags = priceFlags(p)
	}
	args = append(args, string(p.Currency), int64(p.Base), int64(p.Current), p.BaseText, p.CurrentText,
		int64(p.DiscountPercent), p.DiscountLabel, int64(p.DiscountEndsAt), flags, p.Source)
	return append(args, l.Popularity, l.Locale, l.StoreURL, d.factsID, d.proseID, st.ContentHash[:], st.PriceHash[:],
		int64(d.swept.Kind), int64(d.swept.At), int64(l.Platform), l.Region.String(), l.Product)
}

func (s *Saving) updateRows(ctx context.Context, w *writes) error {
	_, err := s.tx.UpdateRows(ctx, &updateListing, len(w.updates), func(args []any, i int) []any {
		d := w.updates[i]
		st, generation := &d.Outcome.Stored, d.stored.generation
		if d.Generation {
			generation = s.generation
		}
		return append(args, generation,
			int64(st.FirstSeen), int64(st.ObservedAt), int64(st.SeenAt), int64(st.PricedAt), engine.BoolInt(st.Withdrawn),
			int64(d.swept.Kind), int64(d.swept.At), int64(d.line.Platform), d.line.Region.String(), d.line.Product)
	})
	if err == nil {
		err = s.markSeen(ctx, w.marked)
	}
	if err != nil {
		return err
	}
	for t, products := range w.touches {
		args := append(t.Args(), products, int64(t.seenAt), int64(t.swept.Kind), int64(t.swept.At))
		if _, err := s.tx.Exec(ctx, touchListings, args...); err != nil {
			return err
		}
	}
	return nil
}

// A listing's part_mark is the mark of the part that has last confirmed it, and so would
// not have changed it, plus its generation at that time. A later change of the content
// raises the generation, so the sum no longer holds, whoever made the change.
var (
	markSeen  = engine.Update{Table: "listing", Set: "seen_at, swept_by, swept_at, part_mark", Key: keyColumns}
	seenAgain = engine.Update{Table: "listing", Set: "seen_at, swept_by, swept_at", Key: keyColumns,
		If: "listing.part_mark = new.mark + listing.generation AND listing.seen_at <= new.not_after" +
			" AND listing.withdrawn = 0 AND listing.source <> '" + catalog.SourceDoubtful + "'",
		Given: "mark, not_after"}
)

// SeeAgain marks as seen, by a sweep of the given owner, the listings that n parts of
// distinct keys confirm without a look at what is stored, because they have confirmed it
// before, and returns the indices of the others.
func (s *Saving) SeeAgain(ctx context.Context, swept sweep.Owner, n int, part func(i int) *sweep.Part) (others []int, err error) {
	others, err = s.tx.UpdateRows(ctx, &seenAgain, n, func(args []any, i int) []any {
		p := part(i)
		return append(args, int64(p.ObservedAt), int64(swept.Kind), int64(swept.At),
			int64(p.Platform), p.Region.String(), p.Product, p.Mark(), int64(p.ObservedAt))
	})
	s.Counts.Unchanged += n - len(others)
	return others, err
}

// markSeen updates listings that were only seen again.
func (s *Saving) markSeen(ctx context.Context, rows []*decided) error {
	_, err := s.tx.UpdateRows(ctx, &markSeen, len(rows), func(args []any, i int) []any {
		d := rows[i]
		return append(args, int64(d.Outcome.Stored.SeenAt), int64(d.swept.Kind), int64(d.swept.At), d.mark+d.stored.generation,
			int64(d.line.Platform), d.line.Region.String(), d.line.Product)
	})
	return err
}

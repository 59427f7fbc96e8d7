package listings

import (
	"context"

	"gamedex/internal/catalog"
	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sweep"
)

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

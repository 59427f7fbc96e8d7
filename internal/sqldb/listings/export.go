package listings

import (
	"context"
	"errors"
	"fmt"

	"gamedex/internal/catalog"
	"gamedex/internal/sqldb/engine"
)

// Filter selects listings; a zero field selects all.
type Filter struct {
	Platform catalog.Platform
	Region   catalog.Region
}

// wholeColumns are the columns that a wholeScan reads.
const (
	wholeColumns = `l.platform, l.region, l.product, l.first_seen, l.observed_at, l.seen_at, l.priced_at, l.withdrawn,
	l.currency, l.base, l.current, l.base_text, l.current_text, l.discount_percent, l.discount_label,
	l.discount_ends_at, l.flags, l.source, l.popularity, l.locale, l.store_url, f.body, p.body`
	fromWhole = " FROM listing l LEFT JOIN facts f ON f.id = l.facts_id LEFT JOIN prose p ON p.id = l.prose_id"
)

// Export calls fn for each selected listing, withdrawn ones included, in the order
// of their keys and in one snapshot. The listings are complete; ObservedAt is when
// they were last seen. If Merge depends on when a content was first observed, Export
// calls fn twice with the listing, first with that time, so that saving both
// restores both times.
func (repo *Repository) Export(ctx context.Context, f Filter, fn func(*catalog.Listing) error) error {
	text, args := f.query()
	return repo.read(ctx, "export listings", func(r *Reading) error {
		contested, err := r.contestedFamilies()
		if err != nil {
			return err
		}
		scan := newWholeScan()
		return r.query(text, args, func(rows engine.Rows) error {
			l, observedAt, err := scan.listing(rows)
			if err != nil {
				return err
			}
			seenAt := l.ObservedAt
			if observedAt < seenAt && contested.MergeReadsObservedAt(l) {
				l.ObservedAt = observedAt
				if err := fn(l); err != nil {
					return err
				}
				l.ObservedAt = seenAt
			}
			return fn(l)
		})
	})
}

// contestedFamilies reads the families of all listings that are not withdrawn.
func (r *Reading) contestedFamilies() (catalog.ContestedFamilies, error) {
	families := map[int64]string{}
	err := r.NewFacts(0, func(id int64, f *catalog.Facts) error {
		families[id] = f.Family
		return nil
	})
	if err != nil {
		return nil, err
	}
	const text = "SELECT platform, product, facts_id FROM listing WHERE withdrawn = 0"
	contested := catalog.ContestedFamilies{}
	var platform catalog.Platform
	var product string
	var id int64
	dest := []any{&platform, &product, &id}
	err = r.query(text, nil, func(rows engine.Rows) error {
		if err := rows.Scan(dest...); err != nil {
			return err
		}
		contested.AddListing(platform, product, families[id])
		return nil
	})
	return contested, err
}

// query returns the query of the selected listings.
func (f Filter) query() (text string, args []any) {
	text, join := "SELECT "+wholeColumns+fromWhole, " WHERE "
	if f.Platform != 0 {
		text, args, join = text+join+"l.platform = $1", append(args, int64(f.Platform)), " AND "
	}
	if f.Region != (catalog.Region{}) {
		args = append(args, f.Region.String())
		text += fmt.Sprintf("%sl.region = $%d", join, len(args))
	}
	return text + " ORDER BY l.platform, l.region, l.product", args
}

// wholeScan is the current row of a query of wholeColumns.
type wholeScan struct {
	row          catalog.Listing // without Region, Price, Facts and Prose
	price        catalog.Price
	region       string
	flags        int64
	observedAt   catalog.Millis
	facts, prose engine.RawBytes
	dest         []any
}

// newWholeScan returns a wholeScan of rows with further columns, which are scanned into
// more.
func newWholeScan(more ...any) *wholeScan {
	s := new(wholeScan)
	l, p := &s.row, &s.price
	s.dest = append([]any{&l.Platform, &s.region, &l.Product, &l.FirstSeenAt, &s.observedAt, &l.ObservedAt, &l.PricedAt,
		(*engine.Bool)(&l.Withdrawn), &p.Currency, &p.Base, &p.Current, &p.BaseText, &p.CurrentText, &p.DiscountPercent, &p.DiscountLabel,
		&p.DiscountEndsAt, &s.flags, &p.Source, &l.Popularity, &l.Locale, &l.StoreURL, &s.facts, &s.prose}, more...)
	return s
}

// listing scans a listing as last seen, and when its content was first observed.
func (s *wholeScan) listing(rows engine.Rows) (*catalog.Listing, catalog.Millis, error) {
	err := rows.Scan(s.dest...)
	if err != nil {
		return nil, 0, err
	}
	l, p := s.row, s.price
	l.Region, l.Price = regionOf(s.region), priceOf(&p, s.flags)
	if s.facts == nil {
		err = errors.New("its facts do not exist")
	} else {
		l.Facts, err = catalog.ParseFacts(s.facts)
	}
	if err == nil && s.prose != nil {
		l.Prose, err = catalog.ParseProse(s.prose)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("listing %s %s %s: %w", l.Platform, l.Region, l.Product, err)
	}
	return &l, s.observedAt, nil
}

const regionListings = "SELECT product, seen_at FROM listing WHERE platform = $1 AND region = $2 AND withdrawn = 0"

// RegionListings calls fn for each listing of a region that is not withdrawn:
// its product id and when it was last seen.
func (repo *Repository) RegionListings(ctx context.Context, p catalog.Platform, r catalog.Region, fn func(product string, seenAt catalog.Millis)) error {
	var product string
	var seenAt catalog.Millis
	dest := []any{&product, &seenAt}
	return repo.db.Query(ctx, "read listings of a region", regionListings, PlatformRegion{p, r}.Args(), func(rows engine.Rows) error {
		if err := rows.Scan(dest...); err != nil {
			return err
		}
		fn(product, seenAt)
		return nil
	})
}

// ListingCount returns the number of stored listings, withdrawn ones included. It
// scans an index, which takes about a second for ten million.
func (repo *Repository) ListingCount(ctx context.Context) (n int, err error) {
	_, err = repo.db.FindRow(ctx, "count listings", "SELECT count(*) FROM listing", nil, []any{&n})
	return n, err
}

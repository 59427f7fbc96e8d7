package importer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gamedex/internal/catalog"
)

// Scope is one platform in one region.
type Scope struct {
	Platform catalog.Platform
	Region   catalog.Region
}

// ParseScope parses PLATFORM:REGION, such as "consolestore:TR".
func ParseScope(s string) (Scope, error) {
	platform, region, found := strings.Cut(s, ":")
	if !found {
		return Scope{}, fmt.Errorf("%q: must be PLATFORM:REGION such as consolestore:TR", s)
	}
	p, err := catalog.ParsePlatform(platform)
	if err != nil {
		return Scope{}, fmt.Errorf("%q: %w", s, err)
	}
	r, err := catalog.ParseRegion(region)
	if err != nil {
		return Scope{}, fmt.Errorf("%q: %w", s, err)
	}
	return Scope{p, r}, nil
}

// String returns the form that ParseScope parses.
func (s Scope) String() string { return s.Platform.String() + ":" + s.Region.String() }

// region is a scope that the inputs contain completely.
type region struct {
	Scope
	before  int                 // its listings before the import
	present map[string]struct{} // product ids in the inputs
	missing []string            // product ids to withdraw
}

// maxShare is the percentage of a region that may be withdrawn without force.
const maxShare = 10

// withdraw checks all regions before it withdraws anything in one.
func (run *importing) withdraw(ctx context.Context) error {
	if len(run.regions) == 0 {
		return nil
	}
	if run.summary.Rejected > 0 {
		return fmt.Errorf("withdraw nothing: the input is not complete (rejected lines: %d)", run.summary.Rejected)
	}
	if run.summary.Read == 0 {
		return errors.New("withdraw nothing: the input has no listings")
	}
	for _, r := range run.regions {
		err := run.repository.RegionListings(ctx, r.Platform, r.Region, func(product string, seenAt catalog.Millis) {
			// A listing that was seen after the inputs stays.
			if _, present := r.present[product]; !present && seenAt <= run.latest {
				r.missing = append(r.missing, product)
			}
		})
		if err != nil {
			return err
		}
		// Compare with the region before the import, so that new listings do not
		// hide a loss.
		if !run.options.Force && len(r.missing)*100 > r.before*maxShare {
			return fmt.Errorf("withdraw nothing: the input lacks %d of the %d listings of %s, more than %d%%: check that it is complete, or repeat with --force",
				len(r.missing), r.before, r.Scope, maxShare)
		}
	}
	for _, r := range run.regions {
		for products := range slices.Chunk(r.missing, batchLines) {
			gone := make([]catalog.Listing, len(products))
			for i, product := range products {
				gone[i].Key = catalog.Key{Platform: r.Platform, Region: r.Region, Product: product}
				gone[i].Facts.Type = catalog.Game
				gone[i].ObservedAt, gone[i].Withdrawn = run.latest, true
			}
			saved, err := run.repository.Save(ctx, gone)
			if err != nil {
				return fmt.Errorf("withdraw from %s: %w", r.Scope, err)
			}
			run.summary.Withdrawn += saved.New + saved.Changed
		}
	}
	return nil
}

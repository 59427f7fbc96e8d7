package feed

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

// ParseScope reads PLATFORM:REGION, "consolestore:TR".
func ParseScope(s string) (Scope, error) {
	platform, region, found := strings.Cut(s, ":")
	if !found {
		return Scope{}, fmt.Errorf("scope %q is not PLATFORM:REGION, such as consolestore:TR", s)
	}
	p, err := catalog.ParsePlatform(platform)
	if err != nil {
		return Scope{}, fmt.Errorf("scope %q: %w", s, err)
	}
	r, err := catalog.ParseRegion(region)
	if err != nil {
		return Scope{}, fmt.Errorf("scope %q: %w", s, err)
	}
	return Scope{p, r}, nil
}

// String is the form that ParseScope reads.
func (s Scope) String() string { return s.Platform.String() + ":" + s.Region.String() }

// region is a scope of which the import is the whole.
type region struct {
	Scope
	before  int                 // listings in it when the import began
	present map[string]struct{} // product ids in the inputs
	missing []string            // product ids to withdraw
}

func (r *region) markPresent(l *catalog.Listing) {
	if l.Platform == r.Platform && l.Region == r.Region {
		r.present[l.Product] = struct{}{}
	}
}

// lacks reports whether a stored listing is withdrawn by inputs whose latest line
// was observed at asOf: they do not hold it, and it was not seen later.
func (r *region) lacks(product string, seenAt, asOf catalog.Millis) bool {
	_, present := r.present[product]
	return !present && seenAt <= asOf
}

// share is the part of a region that may go without force: one in share.
const share = 10

// checkShare judges whether a region may lose what it lacks. The region is
// measured as it was before the import, so that new lines do not hide a loss.
func (r *region) checkShare(force bool) error {
	if force || len(r.missing)*share <= r.before {
		return nil
	}
	return fmt.Errorf("withdraw nothing: the input lacks %d of the %d listings of %s, more than 10 %%: check that it is complete, or repeat with --force",
		len(r.missing), r.before, r.Scope)
}

// countRegions measures the regions before anything is stored.
func (run *importing) countRegions(ctx context.Context) error {
	for _, scope := range run.options.Complete {
		r := &region{Scope: scope, present: make(map[string]struct{})}
		err := run.store.RegionListings(ctx, r.Platform, r.Region, func(string, catalog.Millis) { r.before++ })
		if err != nil {
			return err
		}
		run.regions = append(run.regions, r)
	}
	return nil
}

// withdraw decides for all regions before it withdraws anything in one.
func (run *importing) withdraw(ctx context.Context) error {
	if len(run.regions) == 0 {
		return nil
	}
	if run.summary.Rejected > 0 {
		return fmt.Errorf("withdraw nothing: the input is not the whole of a region (rejected lines: %d)", run.summary.Rejected)
	}
	if run.summary.Read == 0 {
		return errors.New("withdraw nothing: the input holds no listing at all")
	}
	for _, r := range run.regions {
		err := run.store.RegionListings(ctx, r.Platform, r.Region, func(product string, seenAt catalog.Millis) {
			if r.lacks(product, seenAt, run.latest) {
				r.missing = append(r.missing, product)
			}
		})
		if err != nil {
			return err
		}
		if err := r.checkShare(run.options.Force); err != nil {
			return err
		}
	}
	for _, r := range run.regions {
		if err := run.withdrawMissing(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

func (run *importing) withdrawMissing(ctx context.Context, r *region) error {
	for products := range slices.Chunk(r.missing, batchLines) {
		gone := make([]catalog.Listing, len(products))
		for i, product := range products {
			gone[i].Key = catalog.Key{Platform: r.Platform, Region: r.Region, Product: product}
			gone[i].Facts.Type = catalog.Game
			gone[i].ObservedAt, gone[i].Withdrawn = run.latest, true
		}
		saved, err := run.store.Save(ctx, gone)
		if err != nil {
			return fmt.Errorf("withdraw from %s: %w", r.Scope, err)
		}
		run.summary.Withdrawn += saved.New + saved.Changed
	}
	return nil
}

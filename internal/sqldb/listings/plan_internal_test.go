package listings

import (
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/testing/sqldbtest"
)

// TestPlans checks that every query over the large tables finds its rows by an
// index, and that none sorts them in memory. Queries for all rows are listed
// exceptions.
func TestPlans(t *testing.T) {
	export := func(f Filter) string {
		text, _ := f.query()
		return text
	}
	ua := catalog.Region{'U', 'A'}
	sqldbtest.CheckPlans(t, []sqldbtest.Plan{
		{Name: "stored listings", Text: storedListings, Want: []string{"SEARCH listing USING INDEX sqlite_autoindex_listing_1 (platform=? AND region=? AND product=?)"}},
		{Name: "touch", Text: touchListings, Want: []string{"SEARCH listing USING COVERING INDEX sqlite_autoindex_listing_1 (platform=? AND region=? AND product=?)"}},
		{Name: "update", Text: updateListing.Text(), Want: []string{"SEARCH listing USING INDEX sqlite_autoindex_listing_1 (platform=? AND region=? AND product=?)"}},
		{Name: "rewrite", Text: rewriteListing.Text(), Want: []string{"SEARCH listing USING INDEX sqlite_autoindex_listing_1 (platform=? AND region=? AND product=?)"}},
		{Name: "changes", Text: changedSince, Want: []string{"SEARCH listing USING INDEX listing_generation (generation>?)"}},
		{Name: "all changes", Text: changedListings, Want: []string{"SCAN listing"}},
		{Name: "region", Text: regionListings, Want: []string{"SEARCH listing USING INDEX sqlite_autoindex_listing_1 (platform=? AND region=?)"}},
		{Name: "export of all", Text: export(Filter{}), Want: []string{"SCAN l USING INDEX sqlite_autoindex_listing_1", "SEARCH f", "SEARCH p"}},
		{Name: "export of a place", Text: export(Filter{Platform: 1, Region: ua}), Want: []string{"SEARCH l USING INDEX sqlite_autoindex_listing_1 (platform=? AND region=?)", "SEARCH f", "SEARCH p"}},
		{Name: "export of a platform", Text: export(Filter{Platform: 1}), Want: []string{"SEARCH l USING INDEX sqlite_autoindex_listing_1 (platform=?)", "SEARCH f", "SEARCH p"}},
		{Name: "present steps", Text: presentSteps, Want: []string{"SEARCH listing USING INDEX sqlite_autoindex_listing_1 (platform=? AND region=? AND product=?)"}},
		{Name: "histories", Text: histories, Want: []string{"SEARCH h USING PRIMARY KEY (platform=? AND region=? AND product=?)",
			"CORRELATED SCALAR SUBQUERY", "SEARCH history USING PRIMARY KEY (platform=? AND region=? AND product=?)",
			"SEARCH history USING PRIMARY KEY (platform=? AND region=? AND product=? AND at<?)",
			"SEARCH history USING PRIMARY KEY (platform=? AND region=? AND product=? AND at>?)"}},
		{Name: "history", Text: historyOf, Want: []string{"SEARCH history USING PRIMARY KEY (platform=? AND region=? AND product=?)"}},
		{Name: "series", Text: seriesOf, Want: []string{"SEARCH history USING PRIMARY KEY (platform=? AND region=? AND product=?)"}},
		{Name: "series of a place", Text: seriesIn, Want: []string{"SEARCH history USING PRIMARY KEY (platform=? AND region=?)"}},
		{Name: "regions with history", Text: historyRegions, Want: []string{
			"CO-ROUTINE known", "SETUP", "RECURSIVE STEP", "SCAN known", "CORRELATED SCALAR SUBQUERY",
			"SEARCH history USING PRIMARY KEY (platform=?)", "SEARCH history USING PRIMARY KEY (platform=? AND region>?)"}},
		{Name: "all rows of history", Text: allHistory, Want: []string{"SCAN history"}},
		{Name: "last row of history", Text: lastHistory, Want: []string{"SEARCH h USING PRIMARY KEY (platform=? AND region=? AND product=?)",
			"CORRELATED SCALAR SUBQUERY", "SEARCH history USING PRIMARY KEY (platform=? AND region=? AND product=?)"}},
		{Name: "facts by hash", Text: factsTable.lookup, Want: []string{"SEARCH facts USING COVERING INDEX sqlite_autoindex_facts_1 (hash=?)", "SEARCH facts USING INDEX sqlite_autoindex_facts_1 (hash=?)"}},
		{Name: "prose by hash", Text: proseTable.lookup, Want: []string{"SEARCH prose USING COVERING INDEX sqlite_autoindex_prose_1 (hash=?)", "SEARCH prose USING INDEX sqlite_autoindex_prose_1 (hash=?)"}},
		{Name: "whole listings", Text: wholeListings, Want: []string{"SEARCH l USING INDEX sqlite_autoindex_listing_1 (platform=? AND region=? AND product=?)", "SEARCH f", "SEARCH p"}},
		{Name: "regions", Text: selectRegions, Want: []string{
			"CO-ROUTINE known", "SETUP", "RECURSIVE STEP", "SCAN known", "SCALAR SUBQUERY", "CORRELATED SCALAR SUBQUERY",
			"SEARCH listing USING COVERING INDEX sqlite_autoindex_listing_1 (platform=?)",
			"SEARCH listing USING COVERING INDEX sqlite_autoindex_listing_1 (platform=? AND region>?)",
			"SEARCH l EXISTS USING INDEX sqlite_autoindex_listing_1 (platform=? AND region=?)"}},
		{Name: "prices of all regions", Text: selectRegionPrices, Want: []string{
			"MATERIALIZE known", "CO-ROUTINE known", "SETUP", "RECURSIVE STEP", "SCAN known", "SCALAR SUBQUERY", "CORRELATED SCALAR SUBQUERY",
			"SEARCH listing USING COVERING INDEX sqlite_autoindex_listing_1 (platform=?)",
			"SEARCH listing USING COVERING INDEX sqlite_autoindex_listing_1 (platform=? AND region>?)",
			"SEARCH l USING INDEX sqlite_autoindex_listing_1 (platform=? AND region=? AND product=?)"}},
	})
}

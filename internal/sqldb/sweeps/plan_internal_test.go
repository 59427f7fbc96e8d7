package sweeps

import (
	"testing"

	"gamedex/internal/testing/sqldbtest"
)

// TestPlans checks that every query over the large tables finds its rows by an
// index, and that none sorts them in memory. Queries for all rows are listed
// exceptions.
func TestPlans(t *testing.T) {
	sqldbtest.CheckPlans(t, []sqldbtest.Plan{
		{Name: "present", Text: markPresent, Want: []string{"SEARCH listing USING INDEX sqlite_autoindex_listing_1 (platform=? AND region=? AND product=?)"}},
		{Name: "own", Text: ownListings, Want: []string{"SEARCH listing USING INDEX sqlite_autoindex_listing_1 (platform=? AND region=?)"}},
		{Name: "still missing", Text: stillMissing, Want: []string{"SEARCH listing USING INDEX sqlite_autoindex_listing_1 (platform=? AND region=? AND product=?)"}},
		{Name: "lost prices", Text: lostPrices, Want: []string{"SEARCH p USING INDEX sqlite_autoindex_lost_price_1 (platform=? AND kind=? AND region=?)", "SEARCH l USING INDEX sqlite_autoindex_listing_1 (platform=? AND region=? AND product=?)"}},
		{Name: "seen times", Text: seenTimes, Want: []string{"SCAN listing"}},
		{Name: "due items", Text: dueItems, Want: []string{"SEARCH sweep_item USING COVERING INDEX sweep_item_due (platform=? AND region=? AND kind=? AND due_at<?)"}},
		{Name: "late items", Text: lateItems, Want: []string{"SEARCH sweep_item USING COVERING INDEX sweep_item_due (platform=? AND region=? AND kind=? AND due_at>? AND due_at<?)"}},
		{Name: "old items", Text: oldItems, Want: []string{"SEARCH sweep_item USING COVERING INDEX sweep_item_due (platform=? AND region=? AND kind=? AND due_at=? AND read_at<?)"}},
		{Name: "marks", Text: knownMarks, Want: []string{"SEARCH sweep_item USING INDEX sqlite_autoindex_sweep_item_1 (platform=? AND region=? AND kind=? AND item=?)"}},
		{Name: "read items", Text: readItems, Want: []string{"SEARCH sweep_item USING COVERING INDEX sqlite_autoindex_sweep_item_1 (platform=? AND region=? AND kind=? AND item=?)"}},
		{Name: "sweeps", Text: allSweeps, Want: []string{"SCAN s USING INDEX sqlite_autoindex_sweep_1", "CORRELATED SCALAR SUBQUERY", "CO-ROUTINE", "SEARCH i USING COVERING INDEX sweep_item_due (platform=? AND region=? AND kind=? AND due_at", "SCAN due", "SCAN late", "SCAN old"}},
	})
}

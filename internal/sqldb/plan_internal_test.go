package sqldb

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"gamedex/internal/account"
	"gamedex/internal/catalog"
)

// Every query over the large tables finds its rows by an index, and none sorts
// them in memory. Those that want all rows are the exception, by name.
func TestPlans(t *testing.T) {
	one := func(text string) string { return strings.Replace(text, "(?...)", "("+placeholders(16)+")", 1) }
	export := func(f Filter) string {
		text, _ := f.query()
		return text
	}
	ask := func(q account.AuditQuery) string {
		text, _ := auditQuery(q)
		return text
	}
	ua := catalog.Region{'U', 'A'}
	tests := []struct {
		name, text string
		want       []string // each step of the plan begins with one of these
	}{
		{"stored listings", one(storedListings), []string{"SEARCH listing USING INDEX sqlite_autoindex_listing_1 (platform=? AND region=? AND product=?)"}},
		{"touch", one(touchListings), []string{"SEARCH listing USING INDEX sqlite_autoindex_listing_1 (platform=? AND region=? AND product=?)"}},
		{"update", updateListing, []string{"SEARCH listing USING INDEX sqlite_autoindex_listing_1 (platform=? AND region=? AND product=?)"}},
		{"rewrite", rewriteListing, []string{"SEARCH listing USING INDEX sqlite_autoindex_listing_1 (platform=? AND region=? AND product=?)"}},
		{"changes", changedSince, []string{"SEARCH listing USING INDEX listing_generation (generation>?)"}},
		{"all changes", changedListings, []string{"SCAN listing"}},
		{"region", regionListings, []string{"SEARCH listing USING INDEX sqlite_autoindex_listing_1 (platform=? AND region=?)"}},
		{"export of all", export(Filter{}), []string{"SCAN l USING INDEX sqlite_autoindex_listing_1", "SEARCH f", "SEARCH p"}},
		{"export of a place", export(Filter{Platform: 1, Region: ua}), []string{"SEARCH l USING INDEX sqlite_autoindex_listing_1 (platform=? AND region=?)", "SEARCH f", "SEARCH p"}},
		{"export of a platform", export(Filter{Platform: 1}), []string{"SEARCH l USING INDEX sqlite_autoindex_listing_1 (platform=?)", "SEARCH f", "SEARCH p"}},
		{"present price", presentPrice, []string{"SEARCH listing USING INDEX sqlite_autoindex_listing_1 (platform=? AND region=? AND product=?)"}},
		{"recorded prices", recordedPrices, []string{"SEARCH price_change USING INDEX sqlite_autoindex_price_change_1 (platform=? AND region=? AND product=?)"}},
		{"facts by hash", one(factsTable.lookup), []string{"SEARCH facts USING COVERING INDEX sqlite_autoindex_facts_1 (hash=?)", "SEARCH facts USING INDEX sqlite_autoindex_facts_1 (hash=?)"}},
		{"prose by hash", one(proseTable.lookup), []string{"SEARCH prose USING COVERING INDEX sqlite_autoindex_prose_1 (hash=?)", "SEARCH prose USING INDEX sqlite_autoindex_prose_1 (hash=?)"}},
		{"keys since", "SELECT " + keyColumns + " FROM api_key WHERE change > $1", []string{"SEARCH api_key USING INDEX api_key_change (change>?)"}},
		{"whole listings", one(wholeListings), []string{"SEARCH l USING INDEX sqlite_autoindex_listing_1 (platform=? AND region=? AND product=?)", "SEARCH f", "SEARCH p"}},
		{"present", one(presentOnes), []string{"SEARCH listing USING INDEX sqlite_autoindex_listing_1 (platform=? AND region=? AND product=?)"}},
		{"own", ownListings, []string{"SEARCH listing USING INDEX sqlite_autoindex_listing_1 (platform=? AND region=?)"}},
		{"still missing", one(stillMissing), []string{"SEARCH listing USING INDEX sqlite_autoindex_listing_1 (platform=? AND region=? AND product=?)"}},
		{"prices elsewhere", one(pricesElsewhere), []string{
			"MATERIALIZE known", "CO-ROUTINE known", "SETUP", "RECURSIVE STEP", "SCAN known", "SCALAR SUBQUERY", "CORRELATED SCALAR SUBQUERY",
			"SEARCH listing USING COVERING INDEX sqlite_autoindex_listing_1 (platform=?)",
			"SEARCH listing USING COVERING INDEX sqlite_autoindex_listing_1 (platform=? AND region>?)",
			"SEARCH l USING INDEX sqlite_autoindex_listing_1 (platform=? AND region=? AND product=?)"}},
		{"seen times", seenTimes, []string{"SCAN listing"}},
		{"due items", dueItems, []string{"SEARCH sweep_item USING COVERING INDEX sweep_item_due (platform=? AND region=? AND kind=? AND due_at<?)"}},
		{"late items", lateItems, []string{"SEARCH sweep_item USING COVERING INDEX sweep_item_due (platform=? AND region=? AND kind=? AND due_at>? AND due_at<?)"}},
		{"old items", oldItems, []string{"SEARCH sweep_item USING COVERING INDEX sweep_item_due (platform=? AND region=? AND kind=? AND due_at=? AND read_at<?)"}},
		{"marks", one(knownMarks), []string{"SEARCH sweep_item USING INDEX sqlite_autoindex_sweep_item_1 (platform=? AND region=? AND kind=? AND item=?)"}},
		{"read items", one(readItems), []string{"SEARCH sweep_item USING INDEX sqlite_autoindex_sweep_item_1 (platform=? AND region=? AND kind=? AND item=?)"}},
		{"sweeps", allSweeps, []string{"SCAN s USING INDEX sqlite_autoindex_sweep_1", "CORRELATED SCALAR SUBQUERY", "SEARCH i USING COVERING INDEX sweep_item_due (platform=? AND region=? AND kind=? AND due_at"}},
		{"keys of a user", "SELECT " + keyColumns + " FROM api_key " + keysOf, []string{"SEARCH api_key USING INDEX api_key_user (user_id=?)"}},
		{"all keys with owners", ownedKeys + " ORDER BY id DESC", []string{"SCAN api_key USING INDEX sqlite_autoindex_api_key_1", "CORRELATED SCALAR SUBQUERY", "SEARCH person USING INDEX sqlite_autoindex_person_1 (id=?)"}},
		{"users", listUsers, []string{"SEARCH person USING INDEX sqlite_autoindex_person_1 (id>?)", "CORRELATED SCALAR SUBQUERY", "SEARCH k USING INDEX api_key_user (user_id=?)"}},
		{"expired sessions", deleteSessions, []string{"SEARCH session USING COVERING INDEX sqlite_autoindex_session_1 (id=?)", "LIST SUBQUERY", "SEARCH session USING INDEX session_expires (expires_at<?)"}},
		{"expired links", deleteLinks, []string{"SEARCH link USING COVERING INDEX sqlite_autoindex_link_1 (hash=?)", "LIST SUBQUERY", "SEARCH link USING INDEX link_expires (expires_at<?)"}},
		{"audit", ask(account.AuditQuery{}), []string{"SCAN audit USING INDEX sqlite_autoindex_audit_1"}},
		{"audit of an object", ask(account.AuditQuery{Object: "o", Before: 1}), []string{"SEARCH audit USING INDEX audit_object (object=? AND id<?)"}},
		{"audit of an actor", ask(account.AuditQuery{Actor: "a"}), []string{"SEARCH audit USING INDEX audit_actor (actor=?)"}},
		{"audit of an action", ask(account.AuditQuery{Action: "x"}), []string{"SEARCH audit USING INDEX audit_action (action=?)"}},
		{"old audit entries", forgetAudit, []string{"SEARCH audit USING COVERING INDEX sqlite_autoindex_audit_1 (id=?)", "LIST SUBQUERY", "SEARCH audit USING INDEX audit_at (at<?)"}},
		{"addresses in full", fullOrigins, []string{"SEARCH audit USING INDEX audit_full_origin (at<?)"}},
		{"usage by hour", one(usageByHour), []string{"SEARCH usage USING INDEX sqlite_autoindex_usage_1 (key_id=? AND hour>?)", "USE TEMP B-TREE FOR GROUP BY"}},
		{"usage of a key", sumUsage, []string{"SEARCH usage USING INDEX sqlite_autoindex_usage_1 (key_id=? AND hour>?)"}},
	}
	db, err := Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "plan.db"), Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, step := range plan(t, db, tt.text) {
				if !beginsWithOne(step, tt.want) {
					t.Errorf("step %q is none of %q", step, tt.want)
				}
			}
		})
	}
}

func plan(t *testing.T, db *DB, text string) (steps []string) {
	t.Helper()
	args := make([]any, max(strings.Count(text, "?"), strings.Count(text, "$")))
	err := db.query(t.Context(), "explain", "EXPLAIN QUERY PLAN "+text, args, func(rows *sql.Rows) error {
		var id, parent, unused int
		var step string
		err := rows.Scan(&id, &parent, &unused, &step)
		steps = append(steps, step)
		return err
	})
	if err != nil || len(steps) == 0 {
		t.Fatalf("explain: %v, %d steps", err, len(steps))
	}
	return steps
}

func beginsWithOne(step string, wants []string) bool {
	for _, want := range wants {
		if strings.HasPrefix(step, want) {
			return true
		}
	}
	return false
}

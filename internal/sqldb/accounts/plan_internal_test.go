package accounts

import (
	"testing"

	"gamedex/internal/account"
	"gamedex/internal/testing/sqldbtest"
)

// TestPlans checks that every query over the large tables finds its rows by an
// index, and that none sorts them in memory. Queries for all rows are listed
// exceptions. Of several conditions of an audit search, the most selective one
// counts.
func TestPlans(t *testing.T) {
	ask := func(q account.AuditQuery) string {
		text, _ := auditQuery(q)
		return text
	}
	sqldbtest.CheckPlans(t, []sqldbtest.Plan{
		{Name: "keys since", Text: "SELECT " + keyColumns + " FROM api_key WHERE change > $1", Want: []string{"SEARCH api_key USING INDEX api_key_change (change>?)"}},
		{Name: "keys of a user", Text: "SELECT " + keyColumns + " FROM api_key " + keysOf, Want: []string{"SEARCH api_key USING INDEX api_key_user (user_id=?)", "LIST SUBQUERY", "CREATE BLOOM FILTER"}},
		{Name: "all keys", Text: "SELECT " + keyColumns + " FROM api_key " + nextKeys, Want: []string{"SEARCH api_key USING INDEX sqlite_autoindex_api_key_1 (id>?)"}},
		{Name: "all keys with owners", Text: searchedKeys.Text, Want: []string{"SEARCH api_key USING INDEX sqlite_autoindex_api_key_1 (id<?)", "CORRELATED SCALAR SUBQUERY", "SEARCH person USING INDEX sqlite_autoindex_person_1 (id=?)"}},
		{Name: "users", Text: listUsers, Want: []string{"SEARCH person USING INDEX sqlite_autoindex_person_1 (id>?)", "CORRELATED SCALAR SUBQUERY", "SEARCH k USING INDEX api_key_user (user_id=?)"}},
		{Name: "expired sessions", Text: deleteSessions, Want: []string{"SEARCH session USING COVERING INDEX sqlite_autoindex_session_1 (id=?)", "LIST SUBQUERY", "SEARCH session USING INDEX session_expires (expires_at<?)"}},
		{Name: "expired links", Text: deleteLinks, Want: []string{"SEARCH link USING COVERING INDEX sqlite_autoindex_link_1 (hash=?)", "LIST SUBQUERY", "SEARCH link USING INDEX link_expires (expires_at<?)"}},
		{Name: "audit", Text: ask(account.AuditQuery{}), Want: []string{"SCAN audit USING INDEX sqlite_autoindex_audit_1"}},
		{Name: "audit of an object", Text: ask(account.AuditQuery{Object: "o", Actor: "a", Action: "x", Before: 1}), Want: []string{"SEARCH audit USING INDEX audit_object (object=? AND id<?)"}},
		{Name: "audit of an actor", Text: ask(account.AuditQuery{Actor: "a", Action: "x"}), Want: []string{"SEARCH audit USING INDEX audit_actor (actor=?)"}},
		{Name: "audit of an action", Text: ask(account.AuditQuery{Action: "x"}), Want: []string{"SEARCH audit USING INDEX audit_action (action=?)"}},
		{Name: "old audit entries", Text: forgetAudit, Want: []string{"SEARCH audit USING COVERING INDEX sqlite_autoindex_audit_1 (id=?)", "LIST SUBQUERY", "SEARCH audit USING INDEX audit_at (at<?)"}},
		{Name: "addresses in full", Text: fullOrigins, Want: []string{"SEARCH audit USING INDEX audit_full_origin (at<?)"}},
		{Name: "usage by hour", Text: usageByHour, Want: []string{"SEARCH usage USING INDEX sqlite_autoindex_usage_1 (key_id=? AND hour>?)", "USE TEMP B-TREE FOR GROUP BY"}},
		{Name: "runs that ended", Text: forgetRuns, Want: []string{"SEARCH usage_run USING INDEX usage_run_at (at<?)", "SEARCH usage_run USING COVERING INDEX usage_run_at (at<?)"}},
		{Name: "usage of a key", Text: sumUsage, Want: []string{"SEARCH usage USING INDEX sqlite_autoindex_usage_1 (key_id=? AND hour>?)"}},
	})
}

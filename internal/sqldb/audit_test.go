package sqldb_test

import (
	"fmt"
	"strings"
	"testing"

	"gamedex/internal/account"
	"gamedex/internal/sqldb"
)

func addAudit(t *testing.T, db *sqldb.DB, entries ...account.AuditEntry) {
	t.Helper()
	for _, e := range entries {
		must(t, db.Accounts.AddAudit(t.Context(), e))
	}
}

func TestSearchAudit(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		addAudit(t, db,
			account.AuditEntry{At: 1, Actor: "usr_1", Action: account.KeyCreate, Object: "a"},
			account.AuditEntry{At: 2, Actor: "cli:ann", Action: account.KeyRevoke, Object: "b", Detail: "d", From: "::1"},
			account.AuditEntry{At: 3, Actor: "usr_1", Action: account.KeyRevoke, Object: "a"},
			account.AuditEntry{At: 4, Actor: "usr_2", Action: account.KeyCreate, Object: "a"})
		for _, tt := range []struct {
			query account.AuditQuery
			want  string // the times of the found entries
		}{
			{account.AuditQuery{Limit: 9}, "4 3 2 1"},
			{account.AuditQuery{Limit: 2}, "4 3"},
			{account.AuditQuery{}, ""},
			{account.AuditQuery{Limit: -1}, ""},
			{account.AuditQuery{Before: 3, Limit: 9}, "2 1"},
			{account.AuditQuery{Object: "a", Limit: 2}, "4 3"},
			{account.AuditQuery{Object: "a", Before: 4, Limit: 9}, "3 1"},
			{account.AuditQuery{Actor: "usr_1", Limit: 9}, "3 1"},
			{account.AuditQuery{Action: account.KeyCreate, Limit: 9}, "4 1"},
			{account.AuditQuery{Actor: "usr_1", Action: account.KeyRevoke, Object: "a", Before: 9, Limit: 9}, "3"},
			{account.AuditQuery{Actor: "usr_1' OR 1 = 1 --", Limit: 9}, ""},
		} {
			entries, err := db.Accounts.SearchAudit(t.Context(), tt.query)
			var got []string
			for _, e := range entries {
				got = append(got, fmt.Sprint(e.At))
				if e.ID != e.At {
					t.Errorf("the id of entry %+v is not its number", e)
				}
			}
			if strings.Join(got, " ") != tt.want || err != nil {
				t.Errorf("SearchAudit(%+v) = %v, %v; want %s", tt.query, got, err, tt.want)
			}
		}
		whole, err := db.Accounts.SearchAudit(t.Context(), account.AuditQuery{Object: "b", Limit: 1})
		want := account.AuditEntry{ID: 2, At: 2, Actor: "cli:ann", Action: account.KeyRevoke, Object: "b", Detail: "d", From: "::1"}
		if err != nil || len(whole) != 1 || whole[0] != want {
			t.Errorf("entry %+v, %v; want %+v", whole, err, want)
		}
	})
}

// manyEntries adds more entries than one transaction handles, at the times from 1.
const manyEntries = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200)
	INSERT INTO audit (id, at, actor, action, object, detail, origin, full_origin)
	SELECT 1000000 + i, i, '', '', 'many', '', '203.0.113.77', 1 FROM n`

func TestForgetAudit(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		execute(t, db, manyEntries)
		for _, want := range []int64{1100, 0} {
			if n, err := db.Accounts.ForgetAudit(t.Context(), 1101); n != want || err != nil {
				t.Errorf("forgot %d, %v; want %d", n, err, want)
			}
		}
		left, err := db.Accounts.SearchAudit(t.Context(), account.AuditQuery{Limit: 9999})
		if err != nil || len(left) != 100 || left[99].At != 1101 {
			t.Errorf("%d entries are left, %v; want the 100 from 1101 on", len(left), err)
		}
	})
}

// TestTextsAreStoredPlain checks that both engines store the replacement character for what is
// not UTF-8 and for zero bytes, and find such texts as they were given.
func TestTextsAreStoredPlain(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		addAudit(t, db, account.AuditEntry{At: 10, Object: "a\x00b", Detail: "c\xffd"})
		for _, object := range []string{"a\x00b", "a\uFFFDb"} {
			if found := audit(t, db, object); len(found) != 1 || found[0].Object != "a\uFFFDb" || found[0].Detail != "c\uFFFDd" {
				t.Errorf("%q: %+v", object, found)
			}
		}
	})
}

func TestShortenAddresses(t *testing.T) {
	t.Parallel()
	tests := []struct{ from, want string }{
		{"192.0.2.57", "192.0.2.0"},
		{"::ffff:192.0.2.57", "192.0.2.0"},
		{"192.0.2.57:8080", "192.0.2.0"},
		{"2001:db8:1:2:3:4:5:6", "2001:db8:1::"},
		{"[2001:db8:1:2::6]:443", "2001:db8:1::"},
		{"fe80::1%eth0", "fe80::"},
		{"::1", "::"},
		{"", ""},
		{"garbage \x00", ""},
		{"192.0.2.57, 203.0.113.1", ""},
	}
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		for i, tt := range tests {
			addAudit(t, db, account.AuditEntry{At: int64(10 + i), From: tt.from, Object: "old"})
		}
		addAudit(t, db, account.AuditEntry{At: 100, From: "192.0.2.57", Object: "new"})
		execute(t, db, manyEntries)
		for range 2 {
			must(t, db.Accounts.ShortenAddresses(t.Context(), 100))
			for i, e := range audit(t, db, "old") {
				if tt := tests[len(tests)-1-i]; e.From != tt.want {
					t.Errorf("%q became %q, want %q", tt.from, e.From, tt.want)
				}
			}
			if e := audit(t, db, "new")[0]; e.From != "192.0.2.57" {
				t.Errorf("an entry that is not old enough has the address %q", e.From)
			}
		}
		execute(t, db, "UPDATE audit SET origin = '203.0.113.77' WHERE at = 1") // as if it had not been shortened
		err := db.Accounts.ShortenAddresses(t.Context(), 2000)
		many, failed := db.Accounts.SearchAudit(t.Context(), account.AuditQuery{Object: "many", Limit: 9999})
		if err != nil || failed != nil || len(many) != 1200 {
			t.Fatalf("%d entries, %v, %v", len(many), err, failed)
		}
		for _, e := range many {
			if e.At > 1 && e.From != "203.0.113.0" {
				t.Fatalf("entry at %d has %q", e.At, e.From)
			}
			if e.At == 1 && e.From != "203.0.113.77" {
				t.Error("a shortened entry was read again")
			}
		}
	})
}

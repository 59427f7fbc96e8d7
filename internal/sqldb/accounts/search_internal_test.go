package accounts

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gamedex/internal/account"
	"gamedex/internal/quota"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/sqldbtest"
)

// TestKeysAreFoundByAnyPartOfTheirNames checks that the engine finds keys by the
// same parts of their names as Go does, with any characters and case.
func TestKeysAreFoundByAnyPartOfTheirNames(t *testing.T) {
	store := New(sqldbtest.Open(t))
	sign := rapid.OneOf(rapid.RuneFrom([]rune("kKKiIıİsſSßẞяЯσςΣθϴθ aA*?[]^-%_\\!")), rapid.Rune().Filter(func(r rune) bool { return r != 0 }))
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		name := []rune(rapid.StringOfN(sign, 1, 12, -1).Draw(t, "name"))
		n++
		k := account.Key{ID: fmt.Sprintf("%09d", n), Hash: [32]byte{byte(n), byte(n >> 8), byte(n >> 16)}, Name: string(name)}
		if err := store.CreateKey(t.Context(), k, account.By{}); err != nil {
			t.Fatal(err)
		}
		from := rapid.IntRange(0, len(name)).Draw(t, "from")
		part := string(name[from:rapid.IntRange(from, len(name)).Draw(t, "to")])
		other := rapid.StringOfN(sign, 1, 2, -1).Draw(t, "other")
		for _, query := range []string{part, strings.ToUpper(part), strings.ToLower(part), other} {
			found, err := store.SearchKeys(t.Context(), query, fmt.Sprintf("%09d", n+1), 1)
			want := strings.Contains(strings.ToLower(k.Name), strings.ToLower(query)) || strings.Contains(k.ID, query)
			if got := len(found) == 1 && found[0].ID == k.ID; got != want || err != nil {
				t.Fatalf("%q in %q: found %v, %v, want %v", query, k.Name, got, err, want)
			}
		}
	})
}

// TestAuditSearchUsesMostSelectiveIndex checks that of several conditions the
// index of the most selective one is used.
func TestAuditSearchUsesMostSelectiveIndex(t *testing.T) {
	objects, _ := auditQuery(account.AuditQuery{Object: "o", Actor: "a", Action: "x", Before: 9})
	actors, _ := auditQuery(account.AuditQuery{Actor: "a", Action: "x"})
	sqldbtest.CheckPlans(t, []sqldbtest.Plan{
		{Name: "objects", Text: objects, Want: []string{"SEARCH audit USING INDEX audit_object (object=? AND id<?)"}},
		{Name: "actors", Text: actors, Want: []string{"SEARCH audit USING INDEX audit_actor (actor=?)"}},
	})
}

// TestFoldingUsageAgain checks that a second FoldUsage writes only the new rows of
// the old hours.
func TestFoldingUsageAgain(t *testing.T) {
	store := New(sqldbtest.Open(t))
	row := quota.UsageRow{KeyID: "k", Hour: 7, Route: "/r", Outcome: quota.OutcomeOK, Run: "a", Count: 1}
	late := row
	late.Run, late.Count = "b", 2
	for i, rows := range [][]quota.UsageRow{{row}, nil, {late}} {
		if err := errors.Join(store.SaveUsage(t.Context(), rows), store.FoldUsage(t.Context(), 8)); err != nil {
			t.Fatal(err)
		}
		got, err := store.UsageByHour(t.Context(), []string{"k"}, 0)
		if want := []int64{1, 1, 3}[i]; len(got) != 1 || got[0].Count != want || err != nil {
			t.Errorf("after folding %d: %+v, %v, want %d requests", i, got, err, want)
		}
	}
	var writes int64
	err := store.db.Write(t.Context(), "count writes", func(tx *sqldb.Tx) error {
		before, after := int64(0), int64(0)
		if _, err := tx.FindRow(t.Context(), "SELECT total_changes()", nil, []any{&before}); err != nil {
			return err
		}
		if _, err := tx.Exec(t.Context(), foldUsage, 8); err != nil {
			return err
		}
		_, err := tx.FindRow(t.Context(), "SELECT total_changes()", nil, []any{&after})
		writes = after - before
		return err
	})
	if writes != 0 || err != nil {
		t.Errorf("folding folded rows again writes %d rows, %v", writes, err)
	}
}

package accounts

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gamedex/internal/account"
	"gamedex/internal/testing/sqldbtest"
)

// TestKeysAreFoundByAnyPartOfTheirNames checks that the engine finds keys by the
// same parts of their names as Go does, with any characters and case.
func TestKeysAreFoundByAnyPartOfTheirNames(t *testing.T) {
	repo := New(sqldbtest.Open(t))
	sign := rapid.OneOf(rapid.RuneFrom([]rune("kKKiIıİsſSßẞяЯσςΣθϴθ aA*?[]^-%_\\!")), rapid.Rune().Filter(func(r rune) bool { return r != 0 }))
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		name := []rune(rapid.StringOfN(sign, 1, 12, -1).Draw(t, "name"))
		n++
		k := account.Key{ID: fmt.Sprintf("%09d", n), Hash: [32]byte{byte(n), byte(n >> 8), byte(n >> 16)}, Name: string(name)}
		if err := repo.CreateKey(t.Context(), k, account.By{}); err != nil {
			t.Fatal(err)
		}
		from := rapid.IntRange(0, len(name)).Draw(t, "from")
		part := string(name[from:rapid.IntRange(from, len(name)).Draw(t, "to")])
		other := rapid.StringOfN(sign, 1, 2, -1).Draw(t, "other")
		for _, query := range []string{part, strings.ToUpper(part), strings.ToLower(part), other} {
			found, err := repo.SearchKeys(t.Context(), query, fmt.Sprintf("%09d", n+1), 1)
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

package accounts

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gamedex/internal/account"
	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sqldb/sqlite"
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
		must(t, repo.CreateKey(t.Context(), k, account.By{}))
		from := rapid.IntRange(0, len(name)).Draw(t, "from")
		part := string(name[from:rapid.IntRange(from, len(name)).Draw(t, "to")])
		other := rapid.StringOfN(sign, 1, 2, -1).Draw(t, "other")
		for _, query := range []string{part, strings.ToUpper(part), strings.ToLower(part), other} {
			found, _, err := repo.SearchKeys(t.Context(), query, fmt.Sprintf("%09d", n+1), 1)
			want := strings.Contains(strings.ToLower(k.Name), strings.ToLower(query)) || strings.Contains(k.ID, query)
			if got := len(found) == 1 && found[0].ID == k.ID; got != want || err != nil {
				t.Fatalf("%q in %q: found %v, %v, want %v", query, k.Name, got, err, want)
			}
		}
	})
}

// TestSearchFindsEverythingInSteps checks against a plain filter that the steps of a search find each key that is
// always there once, and no other twice, while keys are added and removed between them.
func TestSearchFindsEverythingInSteps(t *testing.T) {
	sqldbtest.OnEach(t, func(t *testing.T, db *engine.DB) {
		rapid.Check(t, func(t *rapid.T) {
			n := rapid.IntRange(0, 150).Draw(t, "keys")
			texts := rapid.SliceOfN(rapid.SampledFrom([]string{"", "x", "A", "ba", "Abc"}), n, n).Draw(t, "names")
			names := map[string]string{}
			for i, name := range texts {
				names[fmt.Sprintf("%03d", 2*i+1)] = name
			}
			must(t, replaceKeys(t.Context(), db, names))
			searchInSteps(t, db, names)
		})
	})
}

// searchInSteps searches the keys with these names, by id, and changes them.
func searchInSteps(t *rapid.T, db *engine.DB, names map[string]string) {
	s := searchedKeys
	s.page = rapid.IntRange(1, 3).Draw(t, "page")
	limit := rapid.IntRange(1, 5).Draw(t, "limit")
	query := rapid.SampledFrom([]string{"", "a", "AB", "c", "0", "none"}).Draw(t, "query")
	matches := func(id, name string) bool {
		return strings.Contains(strings.ToLower(name), strings.ToLower(query)) || strings.Contains(id, query)
	}
	want := maps.Clone(names)
	maps.DeleteFunc(want, func(id, name string) bool { return !matches(id, name) })
	for after, last, ends := "", "999", false; !ends; after = last {
		found, next, err := s.Find(t.Context(), db, query, after, limit)
		if err != nil || len(found) > limit || next >= last {
			t.Fatalf("after %q: found %q, next %q, %v", after, found, next, err)
		}
		covered := 0
		for id := range names {
			if next <= id && id < last {
				covered++
			}
		}
		if most := pagesPerSearch * s.page; covered > most {
			t.Fatalf("after %q: a step covers %d rows and may read %d", after, covered, most)
		}
		for _, id := range found {
			if name, ok := names[id]; !ok || !matches(id, name) || id >= last || id < next {
				t.Fatalf("after %q: %s (%q) is not there, does not match or comes again", after, id, name)
			}
			last = id
			delete(want, id)
		}
		last, ends = next, next == ""
		changed := rapid.SliceOfN(rapid.IntRange(0, 310), 0, 2).Draw(t, "changed")
		for _, i := range changed {
			id := fmt.Sprintf("%03d", i)
			if _, ok := names[id]; ok {
				delete(names, id)
				delete(want, id)
			} else {
				names[id] = "Abc"
			}
		}
		if len(changed) > 0 {
			must(t, replaceKeys(t.Context(), db, names))
		}
	}
	if len(want) > 0 {
		t.Errorf("%q did not find %v", query, want)
	}
}

// replaceKeys stores keys with these names, by id, and no others.
func replaceKeys(ctx context.Context, db *engine.DB, names map[string]string) error {
	ids := slices.Sorted(maps.Keys(names))
	return db.Write(ctx, "replace keys", func(tx *engine.Tx) error {
		if _, err := tx.Exec(ctx, "DELETE FROM api_key"); err != nil {
			return err
		}
		_, err := tx.InsertRows(ctx, &insertKey, len(ids), func(args []any, i int) []any {
			return append(args, ids[i], []byte(ids[i]), "", names[ids[i]], "", 0, 0, 0, 0, 0, "", "", 0, 0, 0)
		})
		return err
	})
}

// counted is an engine that counts the rows that are read.
type counted struct {
	engine.Engine
	rows int
}

// Query implements engine.Querier.
func (c *counted) Query(ctx context.Context, text string, args []any, row func(engine.Rows) error) error {
	return c.Engine.Query(ctx, text, args, func(rows engine.Rows) error {
		c.rows++
		return row(rows)
	})
}

// TestSearchReadsFewRows checks how many of a thousand rows a step of a search reads.
func TestSearchReadsFewRows(t *testing.T) {
	opened, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "gamedex.db"), engine.Options{Create: true})
	must(t, err)
	t.Cleanup(func() { opened.Close() })
	c := &counted{Engine: opened}
	db, names := engine.New(c), map[string]string{}
	for i := range 1000 {
		names[fmt.Sprintf("key%04d", i)] = fmt.Sprintf("job %d", i%300)
	}
	must(t, replaceKeys(t.Context(), db, names))
	s := searchedKeys
	s.page = 10
	for _, tt := range []struct {
		query, after string
		limit        int
		next         string
		found, rows  int
	}{
		{"nothing like it", "", 50, "key0800", 0, 200},
		{"nothing like it", "key0800", 50, "key0600", 0, 200},
		{"nothing like it", "key0105", 50, "", 0, 105},
		{"JOB 299", "", 50, "key0800", 1, 200},
		{"job 299", "key0900", 1, "key0700", 1, 200},
		{"job", "", 50, "key0950", 50, 60},
		{"", "", 5, "key0995", 5, 6},
		{"", "key0005", 5, "", 5, 5},
	} {
		c.rows = 0
		found, next, err := s.Find(t.Context(), db, tt.query, tt.after, tt.limit)
		if err != nil || len(found) != tt.found || next != tt.next || c.rows != tt.rows {
			t.Errorf("%q after %q: found %q, next %q, %d rows, %v; want %d, next %q, %d rows",
				tt.query, tt.after, found, next, c.rows, err, tt.found, tt.next, tt.rows)
		}
	}
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

// must ends the test if err is not nil.
func must(t rapid.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

package sqlite

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"gamedex/internal/sqldb/engine"
)

func TestCompile(t *testing.T) {
	tests := []struct {
		text, want string // of a list of one
		order      []int
		fails      string
	}{
		{text: "SELECT 1", want: "SELECT 1"},
		{text: "SELECT $1, $2", want: "SELECT ?, ?", order: []int{0, 1}},
		{text: "SELECT $2, $1, $2", want: "SELECT ?, ?, ?", order: []int{1, 0, 1}},
		{text: "SELECT $10 + $9", want: "SELECT ? + ?", order: []int{9, 8}},
		{text: "a = ANY($1)", want: "a IN (?)", order: []int{0}},
		{text: "$2 AND a = ANY($1) AND b = $2", want: "? AND a IN (?) AND b = ?", order: []int{1, 0, 1}},
		{text: "a = '$1' OR \"$2\" = $1", want: "a = '$1' OR \"$2\" = ?", order: []int{0}},
		{text: "a = 'it''s $9' AND b = $1", want: "a = 'it''s $9' AND b = ?", order: []int{0}},
		{text: "SELECT x FROM t WHERE y = $1 FOR UPDATE", want: "SELECT x FROM t WHERE y = ?", order: []int{0}},
		{text: "a = ANY($1) AND b = ANY($2)", fails: "a second list"},
		{text: "a = ANY($1 || $2)", fails: "does not end"},
		{text: "a = $", fails: "not an argument"},
		{text: "a = $0", fails: "not an argument"},
		{text: "a = 'b", fails: "quotation does not end"},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			s, err := compile(tt.text)
			if tt.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fails) {
					t.Errorf("error %v, want %q in it", err, tt.fails)
				}
				return
			}
			must(t, err)
			if s.texts[0] != tt.want {
				t.Errorf("compiled to %q, want %q", s.texts[0], tt.want)
			}
			if diff := cmp.Diff(tt.order, s.order); diff != "" {
				t.Errorf("order (-want +got):\n%s", diff)
			}
		})
	}
}

// TestCompiledFindsTheSame checks that statements with arguments in any order and a
// list of any length find the same rows as the same text with the values in it, in a
// transaction, in a snapshot and outside.
func TestCompiledFindsTheSame(t *testing.T) {
	db := engine.New(openForTest(t, filepath.Join(t.TempDir(), "gamedex.db")))
	queries := map[string]query{
		"outside": db.Query,
		"reading": func(ctx context.Context, _, text string, args []any, row func(engine.Rows) error) error {
			return db.Read(ctx, "", func(q engine.Querier) error { return q.Query(ctx, text, args, row) })
		},
		"writing": func(ctx context.Context, what, text string, args []any, row func(engine.Rows) error) error {
			return db.Write(ctx, what, func(tx *engine.Tx) error { return tx.Query(ctx, text, args, row) })
		},
	}
	rapid.Check(t, func(t *rapid.T) {
		const numbers = "WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 999) SELECT i FROM n WHERE "
		text, plain, args := drawConditions(t)
		want := numbersFound(t, db.Query, numbers+plain, nil)
		for name, q := range queries {
			if diff := cmp.Diff(want, numbersFound(t, q, numbers+text, args)); diff != "" {
				t.Errorf("%s (-plain +compiled):\n%s", name, diff)
			}
		}
	})
}

type query func(ctx context.Context, what, text string, args []any, row func(engine.Rows) error) error

func numbersFound(t *rapid.T, q query, text string, args []any) map[int]bool {
	found := map[int]bool{}
	err := q(t.Context(), "try", text, args, func(rows engine.Rows) error {
		var i int
		err := rows.Scan(&i)
		found[i] = true
		return err
	})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return found
}

// drawConditions returns conditions on the number i, with arguments and with their
// values instead.
func drawConditions(t *rapid.T) (text, plain string, args []any) {
	number := rapid.IntRange(0, 1000)
	places := []int{}
	for i := range rapid.IntRange(1, 12).Draw(t, "arguments") {
		args = append(args, number.Draw(t, "argument"))
		places = append(places, i)
	}
	list := -1
	if rapid.Bool().Draw(t, "with a list") {
		list = rapid.IntRange(0, len(args)-1).Draw(t, "list")
		args[list] = rapid.SliceOfNDistinct(rapid.Int64Range(0, 1000), 0, 700, rapid.ID).Draw(t, "values")
	}
	for range rapid.IntRange(0, 6).Draw(t, "used again") {
		if k := rapid.IntRange(0, len(args)-1).Draw(t, "again"); k != list {
			places = append(places, k)
		}
	}
	var conditions, plainly []string
	for _, k := range rapid.Permutation(places).Draw(t, "places") {
		if k == list {
			conditions = append(conditions, fmt.Sprintf("i = ANY($%d)", k+1))
			plainly = append(plainly, "i IN ("+strings.Trim(strings.ReplaceAll(fmt.Sprint(args[k]), " ", ", "), "[]")+")")
			continue
		}
		form := rapid.SampledFrom([]string{"i <> %s", "('$9' <> '' AND i + 3 <> %s)", "i %% 7 <> %s"}).Draw(t, "form")
		conditions = append(conditions, fmt.Sprintf(form, fmt.Sprintf("$%d", k+1)))
		plainly = append(plainly, fmt.Sprintf(form, fmt.Sprint(args[k])))
	}
	return strings.Join(conditions, " AND "), strings.Join(plainly, " AND "), args
}

// TestListsOfStatements checks how many rows a statement with a list changes, whatever
// the length of the list, and what is no list.
func TestListsOfStatements(t *testing.T) {
	db := engine.New(openForTest(t, filepath.Join(t.TempDir(), "gamedex.db")))
	var names []string
	for i := range 515 {
		names = append(names, fmt.Sprint("name", i))
	}
	insert := &engine.Insert{Table: "meta", Columns: "name, value", Then: "ON CONFLICT (name) DO NOTHING"}
	must(t, db.Write(t.Context(), "fill", func(tx *engine.Tx) error {
		_, err := tx.InsertRows(t.Context(), insert, len(names), func(args []any, i int) []any { return append(args, names[i], "") })
		return err
	}))
	for _, n := range []int{0, 1, 2, 5, 256, len(names)} {
		changed, err := db.Exec(t.Context(), "change", "UPDATE meta SET value = $2 WHERE name = ANY($1)", names[:n], fmt.Sprint(n))
		if changed != int64(n) || err != nil {
			t.Errorf("%d rows changed with a list of %d, %v", changed, n, err)
		}
	}
	for want, args := range map[string][]any{"is not a list": {"name1", ""}, "1 arguments instead of 2": {names}} {
		if _, err := db.Exec(t.Context(), "change", "UPDATE meta SET value = $2 WHERE name = ANY($1)", args...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
}

package lists_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"gamedex/internal/catalog"
	"gamedex/internal/lists"
)

func drawPosition(t *rapid.T) lists.Position {
	return lists.Position{
		Number:   rapid.OneOf(rapid.Int64(), rapid.Int64Range(0, 2)).Draw(t, "number"),
		Text:     rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "a", "b"})).Draw(t, "text"),
		Platform: rapid.SampledFrom(catalog.Platforms()).Draw(t, "platform"),
		ID:       rapid.SampledFrom([]string{"", "A", "B"}).Draw(t, "id"),
	}
}

// TestPagesAreTheSortedList divides a list by cursors, and expects it sorted.
func TestPagesAreTheSortedList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfNDistinct(rapid.Custom(drawPosition), 0, 30, func(p lists.Position) lists.Position { return p }).Draw(t, "list")
		limit := rapid.IntRange(1, 7).Draw(t, "limit")
		name := rapid.String().Draw(t, "name")
		var got []lists.Position
		cursor := ""
		for range len(list) + 1 {
			top := lists.NewTop(limit, lists.Position.Compare)
			for _, p := range list {
				if cursor != "" {
					after, err := lists.ParseCursor(cursor, name)
					if err != nil {
						t.Fatal(err)
					}
					if p.Compare(after) <= 0 {
						continue
					}
				}
				top.Add(p)
			}
			page := top.Sorted()
			if len(page) == 0 {
				break
			}
			got = append(got, page...)
			cursor = lists.Cursor(&page[len(page)-1], name)
		}
		slices.SortFunc(list, lists.Position.Compare)
		if !slices.Equal(got, list) {
			t.Fatalf("pages have %+v, want %+v", got, list)
		}
	})
}

// TestCursorOfAnotherList changes a cursor or the list that it is read for.
func TestCursorOfAnotherList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, name := rapid.Custom(drawPosition).Draw(t, "position"), rapid.String().Draw(t, "name")
		cursor := lists.Cursor(&p, name)
		if got, err := lists.ParseCursor(cursor, name); err != nil || got != p {
			t.Fatalf("%+v, %v; want %+v", got, err, p)
		}
		if _, err := lists.ParseCursor(cursor, name+"x"); err == nil {
			t.Fatal("a cursor of another list is accepted")
		}
		if _, err := lists.ParseCursor(cursor[:rapid.IntRange(0, len(cursor)-1).Draw(t, "cut")], name); err == nil {
			t.Fatal("a cut cursor is accepted")
		}
		b := []byte(cursor)
		b[rapid.IntRange(0, len(b)-1).Draw(t, "at")] ^= byte(rapid.IntRange(1, 255).Draw(t, "bits"))
		if _, err := lists.ParseCursor(string(b), name); err == nil {
			t.Fatalf("%s is accepted instead of %s", b, cursor)
		}
	})
}

func TestHighestFirst(t *testing.T) {
	list := []float64{math.Inf(1), math.MaxFloat64, 2, 1.5, 1, math.SmallestNonzeroFloat64, 0, -math.SmallestNonzeroFloat64, -1, math.Inf(-1), math.NaN()}
	for i := 1; i < len(list); i++ {
		if lists.HighestFirst(list[i-1]) >= lists.HighestFirst(list[i]) {
			t.Errorf("%g does not come before %g", list[i-1], list[i])
		}
	}
	if lists.HighestFirst(math.Copysign(0, -1)) != lists.HighestFirst(0) {
		t.Error("-0 is not 0")
	}
}

// FuzzParseCursor checks that whatever is accepted is a cursor that Cursor returns.
func FuzzParseCursor(f *testing.F) {
	f.Add("", "")
	f.Add("AQ", "list")
	f.Add(lists.Cursor(&lists.Position{Number: -5, Text: "star forge", Platform: catalog.PCStore, ID: "star-forge"}, "list"), "list")
	f.Fuzz(func(t *testing.T, cursor, list string) {
		p, err := lists.ParseCursor(cursor, list)
		if err == nil {
			if got, err := lists.ParseCursor(lists.Cursor(&p, list), list); err != nil || got != p {
				t.Errorf("%+v, %v; want %+v", got, err, p)
			}
		}
	})
}

package builder

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/catalog/override"
	ct "gamedex/internal/testing/catalogtest"
)

// TestWarningsAreNotRepeated checks that a warning about listings is logged when it begins, and then once a day
// while it changes: its text changes with nearly each build. Warnings always returns the present text.
func TestWarningsAreNotRepeated(t *testing.T) {
	t.Parallel()
	db, log := openDatabase(t), new(strings.Builder)
	s := newSteppedAt(t, db, 20_000*day)
	s.cfg.Log = slog.New(slog.NewTextHandler(log, nil))
	farm := func(region, title string) catalog.Listing {
		return ct.Console(region, "FARM-"+region, ct.Family("5"), ct.Title(title))
	}
	ua, tr, jp := farm("UA", "Moon Farm"), farm("TR", "Ay Çiftliği"), farm("JP", "ムーンファーム") // one game
	elsewhere := ct.Console("US", "ELSEWHERE", ct.Family("2"), ct.Title("Elsewhere"))
	here := ct.Console("UA", "ELSEWHERE", ct.Family("2"), ct.Title("Elsewhere"))
	override := func(products ...string) {
		standard, rules := "", []override.Rule(nil)
		for _, p := range products {
			rules = append(rules, override.Rule{Platform: catalog.ConsoleStore, Product: p, Edition: &standard})
		}
		s.cfg.Overrides = func(context.Context) (override.Set, error) { return override.New(rules...), nil }
	}
	look := func(when string, after catalog.Millis, saved []catalog.Listing, warning string, want ...string) {
		t.Helper()
		save(t, db, saved...)
		s.now += after
		before, built := log.Len(), s.publisher.Current().Seq
		s.look()
		said := log.String()[before:]
		if s.publisher.Current().Seq == built {
			t.Fatalf("%s: no build", when)
		}
		if logged := strings.Count(said, "level=WARN"); logged != len(want) {
			t.Errorf("%s: %d warnings are logged, want %q: %s", when, logged, want, said)
		}
		for _, text := range want {
			if !strings.Contains(said, text) {
				t.Errorf("%s: want %q in %s", when, text, said)
			}
		}
		if got := strings.Join(s.Warnings(), "\n"); !strings.Contains(got, warning) || (got == "") != (warning == "") {
			t.Errorf("%s: it warns of %q, want %q", when, got, warning)
		}
	}
	override("NONE")
	look("first", 0, []catalog.Listing{ua, tr, elsewhere}, "NONE", "other regions: 2", "sold only in US", "an override matches no")
	override("NONE", "NONE-2")
	look("soon", 60*minute, []catalog.Listing{jp}, "2 overrides match")
	look("a day later", day, nil, "2 overrides match", "other regions: 3", "sold only in JP, US", "2 overrides match no")
	look("without a change", 2*day, nil, "2 overrides match")
	override(ua.Product, tr.Product, jp.Product)
	look("at the end", minute, []catalog.Listing{here}, "")
	override("NONE")
	look("anew", minute, nil, "NONE", "other regions: 3", "sold only in JP", "an override matches no")
}

package catalog_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"gamedex/internal/catalog"
)

func TestNamesOfTypesAndPlatforms(t *testing.T) {
	for typ := catalog.Game; typ <= catalog.Base; typ++ {
		if got, err := catalog.ParseType(typ.String()); err != nil || got != typ {
			t.Errorf("type %q parses to %v, %v", typ, got, err)
		}
	}
	for _, p := range catalog.Platforms() {
		if got, err := catalog.ParsePlatform(p.String()); err != nil || got != p {
			t.Errorf("platform %q parses to %v, %v", p, got, err)
		}
	}
	if _, err := catalog.ParseType(""); err == nil {
		t.Error("no type parses")
	}
	if _, err := catalog.ParsePlatform(""); err == nil {
		t.Error("no platform parses")
	}
}

func TestClassOf(t *testing.T) {
	tests := []struct {
		typ  catalog.Type
		demo bool
		want catalog.Class
	}{
		{catalog.Game, false, catalog.GameClass}, {catalog.EditionType, false, catalog.GameClass},
		{catalog.Bundle, false, catalog.GameClass}, {catalog.Base, false, catalog.GameClass},
		{catalog.DLC, false, catalog.AddOnClass}, {catalog.SeasonPass, false, catalog.AddOnClass},
		{catalog.Subscription, false, catalog.SubscriptionClass},
		{catalog.Game, true, catalog.DemoClass}, {catalog.DLC, true, catalog.DemoClass},
	}
	for _, tt := range tests {
		if got := catalog.ClassOf(tt.typ, tt.demo); got != tt.want {
			t.Errorf("class of %s, demo %v = %s, want %s", tt.typ, tt.demo, got, tt.want)
		}
	}
}

func TestURLPatternRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.StringMatching(`[a-z/:.-]{0,6}`)
		product, slug := rapid.StringMatching(`[a-z]{0,4}`).Draw(t, "product"), rapid.StringMatching(`[a-z]{0,4}`).Draw(t, "slug")
		url := part.Draw(t, "a") + slug + part.Draw(t, "b") + product + part.Draw(t, "c")
		if got := catalog.PatternOf(url, product, slug).URL(product, slug); got != url {
			t.Fatalf("pattern %q expands to %q, want %q", catalog.PatternOf(url, product, slug), got, url)
		}
	})
}

func TestProseFields(t *testing.T) {
	prose := fullProse()
	if got := prose.Fields(); got != 1<<10-1 {
		t.Errorf("a full prose has fields %010b", got)
	}
	if got := (&catalog.Prose{RatingSystem: "PEGI"}).Fields(); got != catalog.HasRating {
		t.Errorf("a rating alone gives fields %010b", got)
	}
}

func TestMillis(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 678_900_000, time.UTC)
	if got := catalog.MillisOf(at).Time(); !got.Equal(at.Truncate(time.Millisecond)) {
		t.Errorf("%v becomes %v", at, got)
	}
}

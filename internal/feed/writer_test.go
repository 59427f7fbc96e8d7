package feed_test

import (
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"gamedex/internal/catalog"
	"gamedex/internal/feed"
	"gamedex/internal/money"
	"gamedex/internal/testing/golden"
)

// TestWriterGolden compares the export of a console listing, a PC listing, one with every
// field, one without price, one with a text price and a bare withdrawal.
func TestWriterGolden(t *testing.T) {
	got := written(t,
		read(t, exampleConsole), read(t, examplePC), read(t, fullLine), read(t, console(``)), read(t, price(`"currentText":"Free"`)),
		read(t, line(`"platform":"pcstore","region":"TR","product":"P1"`, `"withdrawn":true`)))
	golden.Check(t, "testdata/export.golden", got)
}

func TestWriterNamesTheListing(t *testing.T) {
	l := read(t, console(``))
	full := errors.New("disk full")
	err := feed.NewWriter(failingWriter{full}).Write(&l)
	if !errors.Is(err, full) || err.Error() != "write listing consolestore TR P1: disk full" {
		t.Error(err)
	}
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

// TestRoundTrip checks that a listing that passes Check is the same after
// writing and reading, and that checking it again changes nothing.
func TestRoundTrip(t *testing.T) {
	drawn, passed := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		drawn++
		l := anyListing(t)
		if err := feed.Check(&l, catalog.MillisOf(now)); err != nil {
			return
		}
		passed++
		text := written(t, l)
		if diff := cmp.Diff(l, read(t, text)); diff != "" {
			t.Fatalf("%s\n%s", text, diff)
		}
		if again := written(t, read(t, text)); again != text {
			t.Fatalf("written again, the line differs:\n%s%s", text, again)
		}
	})
	if passed < drawn/5 {
		t.Errorf("only %d of %d listings passed Check: the generator draws too many invalid ones", passed, drawn)
	}
}

func anyListing(t *rapid.T) catalog.Listing {
	at := rapid.Custom(func(t *rapid.T) catalog.Millis {
		return catalog.Millis(rapid.Int64Range(1, int64(catalog.MillisOf(now))).Draw(t, "millis"))
	})
	observed := at.Draw(t, "observedAt")
	return catalog.Listing{
		Key: catalog.Key{
			Platform: rapid.SampledFrom(catalog.Platforms()).Draw(t, "platform"),
			Region:   catalog.MustRegion(rapid.SampledFrom([]string{"UA", "JP", "ZA"}).Draw(t, "region")),
			Product:  rapid.StringMatching(`[ -~ж]{1,40}`).Draw(t, "product"),
		},
		Facts:       anyFacts(t),
		Prose:       anyProse(t),
		Locale:      rapid.StringMatching(`[a-z]{2}(-[A-Z0-9]{2,4})?`).Draw(t, "locale"),
		StoreURL:    anyURL().Draw(t, "storeUrl"),
		Popularity:  rapid.Float64Range(0, math.MaxFloat64).Draw(t, "popularity"),
		Price:       rapid.OneOf(rapid.Just[*catalog.Price](nil), rapid.Custom(anyPrice)).Draw(t, "price"),
		ObservedAt:  observed,
		FirstSeenAt: rapid.SampledFrom([]catalog.Millis{0, 1, observed}).Draw(t, "firstSeenAt"),
		PricedAt:    rapid.SampledFrom([]catalog.Millis{0, observed}).Draw(t, "pricedAt"),
		Withdrawn:   rapid.Bool().Draw(t, "withdrawn"),
	}
}

func anyFacts(t *rapid.T) catalog.Facts {
	title := rapid.StringN(1, 50, -1)
	slug := rapid.StringMatching(`[a-zA-Z0-9_][a-z0-9._ëИ-]{0,20}`)
	locale := rapid.StringMatching(`[a-z]{2}(-[A-Z0-9]{2,4})?`)
	return catalog.Facts{
		Family: rapid.String().Draw(t, "family"), FamilyName: rapid.String().Draw(t, "familyName"),
		Slug: slug.Draw(t, "slug"), Aliases: rapid.SliceOfN(slug, 0, 3).Draw(t, "aliases"),
		TitleIDs: rapid.SliceOfN(rapid.String(), 0, 3).Draw(t, "titleIds"),
		Title:    title.Draw(t, "title"),
		Titles: rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) catalog.LocalTitle {
			return catalog.LocalTitle{Locale: locale.Draw(t, "locale"), Title: title.Draw(t, "title")}
		}), 0, 3, func(l catalog.LocalTitle) string { return l.Locale }).Draw(t, "titles"),
		InvariantName: rapid.String().Draw(t, "invariantName"),
		Edition:       rapid.OneOf(rapid.String(), rapid.Just("Standard")).Draw(t, "edition"),
		Type:          catalog.Type(rapid.IntRange(0, int(catalog.DLC)).Draw(t, "type")),
		Demo:          rapid.Bool().Draw(t, "demo"),
		Platforms:     rapid.SliceOfN(rapid.String(), 0, 3).Draw(t, "platforms"),
		Members:       rapid.SliceOfN(rapid.StringMatching(`[A-Z0-9_-]{0,20}`), 0, 3).Draw(t, "members"),
	}
}

func anyProse(t *rapid.T) catalog.Prose {
	return catalog.Prose{
		Description: rapid.String().Draw(t, "description"),
		Publisher:   rapid.String().Draw(t, "publisher"), Developer: rapid.String().Draw(t, "developer"),
		ReleaseDate: rapid.SampledFrom([]string{"", "2024-02-29"}).Draw(t, "releaseDate"),
		Genres:      rapid.SliceOfN(rapid.String(), 0, 3).Draw(t, "genres"),
		RatingAge:   rapid.String().Draw(t, "age"), RatingSystem: rapid.String().Draw(t, "system"),
		Thumbnail: anyURL().Draw(t, "thumbnail"), Cover: anyURL().Draw(t, "cover"), Logo: anyURL().Draw(t, "logo"),
		Screenshots: rapid.SliceOfN(anyURL(), 0, 3).Draw(t, "screenshots"),
	}
}

func anyURL() *rapid.Generator[string] {
	return rapid.OneOf(rapid.Just(""), rapid.StringMatching(`https?://[a-z.]{1,20}(/["\\a-zж%&?=]{0,20})?`))
}

func anyPrice(t *rapid.T) *catalog.Price {
	amount := rapid.Custom(func(t *rapid.T) money.Amount {
		return money.Amount(rapid.Int64Range(-1, 1e13).Draw(t, "amount"))
	})
	p := &catalog.Price{
		Currency: rapid.SampledFrom([]money.Currency{"TRY", "jpy"}).Draw(t, "currency"),
		Base:     amount.Draw(t, "base"), Current: amount.Draw(t, "current"),
		BaseText: rapid.String().Draw(t, "baseText"), CurrentText: rapid.StringN(1, -1, -1).Draw(t, "currentText"),
		DiscountPercent: rapid.IntRange(-1, 100).Draw(t, "discountPercent"),
		DiscountLabel:   rapid.String().Draw(t, "discountLabel"),
		DiscountEndsAt:  catalog.Millis(rapid.Int64Range(0, 253402300799999).Draw(t, "discountEndsAt")),
		Trial:           rapid.Bool().Draw(t, "trial"), Subscription: rapid.Bool().Draw(t, "subscription"),
		Source: rapid.String().Draw(t, "source"),
	}
	if p.Base.Known() {
		p.Current = min(p.Current, p.Base)
	}
	return p
}

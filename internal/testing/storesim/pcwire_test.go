package storesim_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/testing/storesim"
)

// The shapes of the PC store.
type element struct {
	ID, Namespace, Title, OfferType, URLSlug, ProductSlug, EffectiveDate string
	CatalogNs                                                            struct{ Mappings []pageSlug }
	OfferMappings                                                        []pageSlug
	CountriesBlacklist                                                   []string
	Price                                                                struct {
		TotalPrice struct {
			OriginalPrice, DiscountPrice int64
			CurrencyCode                 string
			CurrencyInfo                 struct{ Decimals int }
			FmtPrice                     struct{ OriginalPrice, DiscountPrice string }
		}
	}
}

type pageSlug struct{ PageSlug, PageType string }

type searchAnswer struct {
	Data struct {
		Catalog struct {
			SearchStore *struct {
				Elements []*element
				Paging   struct{ Count, Total int }
			}
			CatalogOffer *element
		}
	}
	Errors []struct {
		Message, ServiceResponse string
		Path                     []any
	}
}

func search(t testing.TB, base string, w *storesim.World, country string, first, count int) searchAnswer {
	t.Helper()
	variables := fmt.Sprintf(`{"allowCountries":%q,"category":"games/edition/base","count":%d,"country":%q,"locale":"en","start":%d,"withPrice":true,"withPromotions":true}`,
		country, count, country, first)
	return decode[searchAnswer](t, askPC(t, base, w, url.Values{"operationName": {"searchStoreQuery"}}, variables))
}

type mapping struct {
	ProductID, SandboxID, Slug string
	Modules                    struct {
		PageOffers []struct{ OfferID, SandboxID, Store string }
	}
}

func platform[T any](t testing.TB, base, path, country string) (answer T, status int) {
	t.Helper()
	response, err := http.Get(base + "/pc/platform/" + path + "?country=" + country + "&locale=en&store=PC")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return decode[T](t, body), response.StatusCode
}

// TestPCPagesMatchTruth reads the search, and the pages of all games for
// offers that the search does not find.
func TestPCPagesMatchTruth(t *testing.T) {
	w, _ := newWorld(2, 0, 400, eight())
	server := httptest.NewServer(w.Handler())
	defer server.Close()
	for _, country := range []string{"TR", "DE", "FR"} {
		got := make(map[string]string)
		homes := make(map[string]bool)
		for start := 0; ; start += 60 {
			found := search(t, server.URL, w, country, start, 60).Data.Catalog.SearchStore
			for _, e := range found.Elements {
				if slug := homeOf(t, server.URL, country, e); slug != "" {
					got[e.ID] = e.Namespace
					homes[slug] = true
				}
			}
			if len(found.Elements) < 60 {
				break
			}
		}
		readPages(t, server.URL, country, homes, got)
		for id, namespace := range idsOf(w, catalog.PCStore, country) {
			if got[id] != namespace {
				t.Errorf("%s: offer %s is in %q, want %q", country, id, got[id], namespace)
			}
			delete(got, id)
		}
		// The rest are withdrawn or not visible yet.
		if len(got) > 15 {
			t.Errorf("%s: %d offers are not in the truth", country, len(got))
		}
	}
}

// readPages adds the offers on the pages of games.
func readPages(t *testing.T, base, country string, homes map[string]bool, ids map[string]string) {
	t.Helper()
	for slug := range homes {
		page, status := platform[mapping](t, base, "mappings/"+slug, country)
		if status != http.StatusOK {
			t.Errorf("%s: page %s: status %d", country, slug, status)
		}
		for _, o := range page.Modules.PageOffers {
			ids[o.OfferID] = o.SandboxID
		}
	}
}

// homeOf returns a game's home slug, "" for a mystery.
func homeOf(t *testing.T, base, country string, e *element) string {
	t.Helper()
	if len(e.CatalogNs.Mappings) > 0 {
		return e.CatalogNs.Mappings[0].PageSlug
	}
	if slug, _, _ := strings.Cut(e.ProductSlug, "/"); slug != "" && slug != "[]" {
		return slug
	}
	page, status := platform[mapping](t, base, "mappings/"+e.URLSlug, country)
	if status == http.StatusNotFound {
		if e.OfferType != "OTHERS" {
			t.Errorf("the home page of %q is unknown", e.Title)
		}
		return ""
	}
	game, _ := platform[struct{ Mapping struct{ Slug string } }](t, base, "products/"+page.ProductID, country)
	return game.Mapping.Slug
}

func TestPCOffersMatchTruth(t *testing.T) {
	w, _ := newWorld(3, 0, 150, regions("JP", "DE", "AT", "US"))
	server := httptest.NewServer(w.Handler())
	defer server.Close()
	barred := 0
	for _, l := range w.Truth(start) {
		variables := fmt.Sprintf(`{"offerId":%q,"sandboxId":%q,"country":%q,"locale":%q}`, l.Product, l.Facts.Family, l.Region, l.Locale)
		e := decode[searchAnswer](t, askPC(t, server.URL, w, url.Values{"operationName": {"getCatalogOffer"}}, variables)).Data.Catalog.CatalogOffer
		if e == nil {
			t.Fatalf("%v is missing", l.Key)
		}
		barred += len(e.CountriesBlacklist)
		total := e.Price.TotalPrice
		if e.Title != l.Facts.Title {
			t.Errorf("%v: title %q, truth %q", l.Key, e.Title, l.Facts.Title)
		}
		if l.Price == nil {
			continue
		}
		hundredths := total.DiscountPrice
		if total.CurrencyInfo.Decimals == 0 {
			hundredths *= 100
		}
		if hundredths != int64(l.Price.Current) || total.CurrencyCode != string(l.Price.Currency) {
			t.Errorf("%v: %d %s, truth %d %s", l.Key, total.DiscountPrice, total.CurrencyCode, l.Price.Current, l.Price.Currency)
		}
		if l.Price.Base > 0 && total.FmtPrice.OriginalPrice != l.Price.BaseText {
			t.Errorf("%v: text %q, truth %q", l.Key, total.FmtPrice.OriginalPrice, l.Price.BaseText)
		}
	}
	if barred == 0 {
		t.Error("no offer has a black list")
	}
}

func TestPCRefusals(t *testing.T) {
	w, _ := newWorld(3, 0, 200, regions("US", "DE"))
	server := httptest.NewServer(w.Handler())
	defer server.Close()
	t.Run("no country", func(t *testing.T) {
		a := search(t, server.URL, w, "en-US", 0, 10)
		if a.Data.Catalog.SearchStore != nil || len(a.Errors) != 1 || !strings.Contains(a.Errors[0].ServiceResponse, `"numericErrorCode":5222`) {
			t.Errorf("answer %+v", a)
		}
	})
	t.Run("a country without a store", func(t *testing.T) {
		a := search(t, server.URL, w, "BR", 0, 10)
		if a.Data.Catalog.SearchStore == nil || len(a.Data.Catalog.SearchStore.Elements) != 0 {
			t.Errorf("answer %+v", a)
		}
	})
	t.Run("missing mappings are errors beside data", func(t *testing.T) {
		a := search(t, server.URL, w, "US", 0, 200)
		if len(a.Errors) == 0 || !strings.Contains(a.Errors[0].ServiceResponse, `"numericErrorCode":1004`) || len(a.Data.Catalog.SearchStore.Elements) != 200 {
			t.Errorf("errors %+v", a.Errors)
		}
	})
	for _, path := range []string{"mappings/nothing", "mappings/-", "products/prod-ffffffff", "products/x", "other/x"} {
		if _, status := platform[map[string]any](t, server.URL, path, "US"); status != http.StatusNotFound {
			t.Errorf("%s: status %d, want 404", path, status)
		}
	}
	if _, status := platform[map[string]any](t, server.URL, "products/prod-00000001", "nowhere"); status != http.StatusBadRequest {
		t.Errorf("without a country: status %d, want 400", status)
	}
}

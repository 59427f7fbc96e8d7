package storesim_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/catalog"
	"gamedex/internal/testing/storesim"
)

type graphError struct {
	Message    string
	ErrorCode  int
	StatusCode int
	Error      struct{ Reason string }
}

// The fields of the console store's answers that the tests read.
type skuPrice struct {
	BasePrice, DiscountedPrice         string
	BasePriceValue                     *int64
	SkuID                              string
	IsFree, IsTiedToSubscription       bool
	ServiceBranding                    []string
	DiscountText, UpsellText, Typename *string
}

type gridAnswer struct {
	Data struct {
		CategoryGridRetrieve struct {
			Concepts []struct {
				ID, Name string
				Price    *skuPrice
				Products []struct{ ID string }
			}
			PageInfo pageInfo
		}
	}
	Errors []graphError
}

type pageInfo struct {
	TotalCount, Offset, Size int
	IsLast                   bool
}

type action struct {
	Type  string
	Price *struct {
		Applicability, BasePrice, DiscountedPrice, CurrencyCode *string
		BasePriceValue, DiscountedValue                         *int64
		IsFree                                                  bool
		RewardID                                                *string
		Qualifications                                          []struct{ Type string }
	}
}

// condition describes what everybody's price depends on; empty: nothing.
func (a *action) condition() string {
	switch {
	case a.Price == nil:
		return "no price"
	case a.Price.Applicability == nil && a.Price.BasePrice != nil:
		return "unavailable"
	case a.Price.RewardID != nil && strings.Contains(*a.Price.RewardID, ","):
		return "two offers"
	case len(a.Price.Qualifications) > 0:
		return a.Price.Qualifications[0].Type
	}
	return ""
}

type consoleProduct struct {
	ID, Name, TopCategory, InvariantName, NpTitleID string
	Edition                                         *struct{ Name, Type *string }
	Platforms                                       []string
	Webctas                                         []action
	Concept                                         struct{ ID, InvariantName string }
	StoreDisplayClassification, ReleaseDate         string
	Price                                           *skuPrice
}

type conceptAnswer struct {
	Data struct {
		ConceptRetrieve *struct {
			ID, Name string
			Products []consoleProduct
		}
	}
	Errors []graphError
}

type addOnAnswer struct {
	Data struct {
		AddOns struct {
			AddOnProducts []consoleProduct
			PageInfo      pageInfo
		} `json:"addOnProductsByConceptIdRetrieve"`
	}
}

type productAnswer struct {
	Data   struct{ ProductRetrieve *consoleProduct }
	Errors []graphError
}

const grid = `{"id":"0a000000-0000-4000-8000-00000000000a","pageArgs":{"size":%d,"offset":%d},"sortBy":null,"filterBy":[],"facetOptions":[]}`

// TestConsolePagesMatchTruth reads a region to the end, in small pages,
// and compares it with the truth.
func TestConsolePagesMatchTruth(t *testing.T) {
	w, _ := newWorld(2, 80, 0, eight())
	server := httptest.NewServer(w.Handler())
	defer server.Close()
	for range 2 {
		for _, region := range [][2]string{{"UA", "uk-ua"}, {"JP", "ja-JP"}} {
			got := readConsole(t, server.URL, w, region[1])
			want := idsOf(w, catalog.ConsoleStore, region[0])
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("day %d, %s: %s", w.Day(), region[0], diff)
			}
		}
		w.Advance()
	}
}

// idsOf returns a region's products with their families.
func idsOf(w *storesim.World, p catalog.Platform, region string) map[string]string {
	ids := make(map[string]string)
	for _, l := range w.Truth(start) {
		if l.Platform == p && l.Region == catalog.MustRegion(region) {
			ids[l.Product] = l.Facts.Family
		}
	}
	return ids
}

// readConsole returns all products of a region with their concepts.
func readConsole(t *testing.T, base string, w *storesim.World, locale string) map[string]string {
	t.Helper()
	ids := make(map[string]string)
	for offset := 0; ; offset += 40 {
		page := decode[gridAnswer](t, askConsole(t, base, w, locale, "categoryGridRetrieve", fmt.Sprintf(grid, 40, offset))).Data.CategoryGridRetrieve
		for _, concept := range page.Concepts {
			listed := make(map[string]bool)
			for _, p := range concept.Products {
				ids[p.ID] = concept.ID
				listed[p.ID] = true
			}
			c := decode[conceptAnswer](t, askConsole(t, base, w, locale, "conceptRetrieveForUpsellWithCtas", `{"conceptId":"`+concept.ID+`"}`)).Data.ConceptRetrieve
			if c == nil || len(c.Products) != len(concept.Products) {
				t.Fatalf("concept %s has %d products in the grid; on its own %+v", concept.ID, len(concept.Products), c)
			}
			for i := range c.Products {
				if !listed[c.Products[i].ID] {
					t.Errorf("product %s is not in the grid", c.Products[i].ID)
				}
			}
			readAddOns(t, base, w, locale, concept.ID, ids)
		}
		if page.PageInfo.IsLast {
			if got := offset + len(page.Concepts); got != page.PageInfo.TotalCount {
				t.Errorf("the last page ends at %d of %d", got, page.PageInfo.TotalCount)
			}
			return ids
		}
	}
}

func readAddOns(t *testing.T, base string, w *storesim.World, locale, concept string, ids map[string]string) {
	t.Helper()
	for offset := 0; ; offset += 3 {
		variables := fmt.Sprintf(`{"conceptId":%q,"pageArgs":{"size":3,"offset":%d}}`, concept, offset)
		page := decode[addOnAnswer](t, askConsole(t, base, w, locale, "getAddOnProductsByConcept", variables)).Data.AddOns
		for _, p := range page.AddOnProducts {
			ids[p.ID] = p.Concept.ID
		}
		if page.PageInfo.IsLast {
			return
		}
	}
}

// TestConsoleAnswersMatchTruth compares every product's answers, read in the
// simplest way, with the truth.
func TestConsoleAnswersMatchTruth(t *testing.T) {
	w, _ := newWorld(8, 300, 0, regions("TR", "JP"))
	server := httptest.NewServer(w.Handler())
	defer server.Close()
	locales := map[string]string{"TR": "tr-tr", "JP": "ja-jp"}
	kinds := make(map[string]int)
	for _, l := range w.Truth(start) {
		body := askConsole(t, server.URL, w, locales[l.Region.String()], "metGetProductById", `{"productId":"`+l.Product+`"}`)
		p := decode[productAnswer](t, body).Data.ProductRetrieve
		if p == nil {
			t.Fatalf("%v is missing: %s", l.Key, body)
		}
		if p.Name != l.Facts.Title || p.Concept.ID != l.Facts.Family || !cmp.Equal(append([]string{}, p.Platforms...), append([]string{}, l.Facts.Platforms...)) {
			t.Errorf("%v: answer %+v, truth %+v", l.Key, p, l.Facts)
		}
		if p.NpTitleID != "" && !cmp.Equal(l.Facts.TitleIDs, []string{strings.TrimSuffix(p.NpTitleID, "_00")}) {
			t.Errorf("%v: title id %s, truth %q", l.Key, p.NpTitleID, l.Facts.TitleIDs)
		}
		purchases := 0
		for _, a := range p.Webctas {
			if a.Type == "ADD_TO_CART" || a.Type == "PREORDER" {
				purchases++
			}
		}
		for _, a := range p.Webctas {
			kinds[a.Type]++
			if a.Type != "ADD_TO_CART" && a.Type != "PREORDER" {
				if l.Price != nil && l.Price.Trial && l.Price.Base > 0 {
					kinds["only a trial, with a base"]++
				}
				continue
			}
			condition := a.condition()
			kinds[condition]++
			if purchases == 1 {
				kinds["only "+condition]++
				condition = "only " + condition
			}
			switch condition {
			case "no price", "only no price":
				continue
			case "only unavailable":
				if l.Price != nil {
					t.Errorf("%v: not available, truth %+v", l.Key, l.Price)
				}
				continue
			case "only two offers":
				if *a.Price.BasePrice != l.Price.BaseText || (l.Price.Source == catalog.SourceDoubtful) != (l.Price.CurrentText == l.Price.BaseText) {
					t.Errorf("%v: texts %q, %q in sum, truth %+v", l.Key, *a.Price.BasePrice, *a.Price.DiscountedPrice, l.Price)
				}
				continue
			case "only USER_IN_EXPERIMENT":
				if l.Price.Source != catalog.SourceDoubtful {
					t.Errorf("%v: an experiment, truth %+v", l.Key, l.Price)
				}
			case "", "only ":
			default:
				if *a.Price.BasePrice != l.Price.CurrentText || *a.Price.DiscountedPrice == l.Price.CurrentText {
					t.Errorf("%v: texts %q, %q for some, truth %+v", l.Key, *a.Price.BasePrice, *a.Price.DiscountedPrice, l.Price)
				}
				continue
			}
			if *a.Price.BasePrice != l.Price.BaseText || *a.Price.DiscountedPrice != l.Price.CurrentText {
				t.Errorf("%v: texts %q, %q, truth %+v", l.Key, *a.Price.BasePrice, *a.Price.DiscountedPrice, l.Price)
			}
			if n := a.Price.DiscountedValue; n != nil && *n != int64(l.Price.Current) && *n*100 != int64(l.Price.Current) {
				t.Errorf("%v: number %d, truth %d", l.Key, *n, l.Price.Current)
			}
			if (a.Price.BasePriceValue == nil) != !l.Price.Base.Known() {
				t.Errorf("%v: number %v, truth %d", l.Key, a.Price.BasePriceValue, l.Price.Base)
			}
		}
	}
	for _, kind := range []string{"ADD_TO_CART", "PREORDER", "DOWNLOAD", "DOWNLOAD_DEMO", "DOWNLOAD_TRIAL", "DOWNLOAD_DIGITAL_UPGRADE", "UNAVAILABLE",
		"UPSELL_PS_PLUS_UPGRADE_GAME_CATALOG", "UPSELL_PS_PLUS_UPGRADE_TRIAL", "UPSELL_PS_PLUS_TRIAL", "UPSELL_EA_ACCESS_DISCOUNT",
		"UPSELL_EA_ACCESS_PLAY_FIRST_TRIAL", "no price", "two offers", "ENTITLED_TO", "USER_IN_EXPERIMENT", "only no price", "only two offers",
		"only ENTITLED_TO", "only USER_IN_EXPERIMENT", "only unavailable", "only a trial, with a base"} {
		if kinds[kind] == 0 {
			t.Errorf("no product has an action of the kind %q", kind)
		}
	}
}

func TestGridPricesAreMostlyWords(t *testing.T) {
	w, _ := newWorld(2, 400, 0, regions("DE"))
	server := httptest.NewServer(w.Handler())
	defer server.Close()
	words, numbers, none, announced := 0, 0, 0, 0
	for _, c := range decode[gridAnswer](t, askConsole(t, server.URL, w, "de-de", "categoryGridRetrieve", fmt.Sprintf(grid, 300, 0))).Data.CategoryGridRetrieve.Concepts {
		switch {
		case len(c.Products) == 0:
			announced++
		case c.Price == nil:
			none++
		case c.Price.SkuID != "":
			numbers++
		default:
			words++
		}
	}
	if words < 2*numbers || numbers == 0 || none == 0 || announced == 0 {
		t.Errorf("prices: %d without numbers, %d with numbers, %d missing, %d announced", words, numbers, none, announced)
	}
}

func TestConsoleRefusals(t *testing.T) {
	w, _ := newWorld(2, 50, 0, regions("UA", "US"))
	server := httptest.NewServer(w.Handler())
	defer server.Close()
	american := ""
	for _, l := range w.Truth(start) {
		if l.Region == catalog.MustRegion("US") {
			american = l.Product
		}
	}
	t.Run("another storefront", func(t *testing.T) {
		a := decode[productAnswer](t, askConsole(t, server.URL, w, "uk-ua", "metGetProductById", `{"productId":"`+american+`"}`))
		if a.Data.ProductRetrieve != nil || len(a.Errors) != 1 || a.Errors[0].ErrorCode != 3162368 || a.Errors[0].Error.Reason != "failed_storefront_requirement" {
			t.Errorf("answer %+v", a)
		}
	})
	t.Run("no such product", func(t *testing.T) {
		a := decode[productAnswer](t, askConsole(t, server.URL, w, "uk-ua", "metGetProductById", `{"productId":"nothing"}`))
		if a.Data.ProductRetrieve != nil || len(a.Errors) != 1 || a.Errors[0].ErrorCode != 3166081 || a.Errors[0].Error.Reason != "data_not_found" {
			t.Errorf("answer %+v", a)
		}
	})
	t.Run("no such concept", func(t *testing.T) {
		a := decode[conceptAnswer](t, askConsole(t, server.URL, w, "uk-ua", "conceptRetrieveForUpsellWithCtas", `{"conceptId":"-5"}`))
		if a.Data.ConceptRetrieve != nil || len(a.Errors) != 1 || a.Errors[0].StatusCode != 404 {
			t.Errorf("answer %+v", a)
		}
	})
	t.Run("another hash", func(t *testing.T) {
		_, body := ask(t, server.URL+"/console/graphql", strings.Repeat("0", 64), "uk-ua", url.Values{"operationName": {"metGetProductById"}}, `{"productId":"x"}`)
		if !strings.Contains(string(body), "PersistedQueryNotFound") {
			t.Errorf("answer %s", body)
		}
	})
	t.Run("rotated hashes", func(t *testing.T) {
		w.RotateHashes()
		body := askConsole(t, server.URL, w, "uk-ua", "metGetProductById", `{"productId":"x"}`)
		if !strings.Contains(string(body), "PersistedQueryNotFound") {
			t.Errorf("answer %s", body)
		}
		w.RestoreHashes()
		body = askConsole(t, server.URL, w, "uk-ua", "metGetProductById", `{"productId":"x"}`)
		if !strings.Contains(string(body), "data_not_found") {
			t.Errorf("answer after the return of the hashes: %s", body)
		}
	})
	t.Run("a plain link", func(t *testing.T) {
		answer, err := http.Get(server.URL + "/console/graphql?operationName=metGetProductById")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = answer.Body.Close() }()
		body, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode != http.StatusBadRequest || !strings.Contains(string(body), "CSRF") {
			t.Errorf("answer %d, %s, %v", answer.StatusCode, body, err)
		}
	})
}

package storesim_test

import (
	"fmt"
	"strings"
	"testing"

	"gamedex/internal/testing/catalogtest"
)

// The fields of the console store's answers that the tests read.
type gridAnswer struct {
	Data struct {
		CategoryGridRetrieve struct {
			Concepts []gridConcept
			PageInfo struct{ TotalCount int }
		}
	}
	Errors []struct{ Message string }
}

type gridConcept struct {
	Price    *struct{ SkuID string }
	Products []struct{ ID string }
}

type productAnswer struct {
	Data struct {
		ProductRetrieve *struct{ Webctas []action }
	}
}

type action struct {
	Type  string
	Price *struct {
		Applicability, BasePrice, RewardID *string
		Qualifications                     []struct{ Type string }
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

const grid = `{"id":"0a000000-0000-4000-8000-00000000000a","pageArgs":{"size":%d,"offset":%d},"sortBy":null,"filterBy":[],"facetOptions":[]}`

// TestConsoleActionsOfAllKinds checks that the products have all kinds of actions. That prices are
// what they show is tested with the connector.
func TestConsoleActionsOfAllKinds(t *testing.T) {
	w, _ := newWorld(8, 300, 0, catalogtest.Regions("TR", "JP"))
	locales := map[string]string{"TR": "tr-tr", "JP": "ja-jp"}
	kinds := make(map[string]int)
	for _, l := range w.Truth(start) {
		body := askConsole(t, w, locales[l.Region.String()], "metGetProductById", `{"productId":"`+l.Product+`"}`)
		p := decode[productAnswer](t, body).Data.ProductRetrieve
		if p == nil {
			t.Fatalf("%v is missing: %s", l.Key, body)
		}
		var purchases []string
		for _, a := range p.Webctas {
			kinds[a.Type]++
			if a.Type == "ADD_TO_CART" || a.Type == "PREORDER" {
				purchases = append(purchases, a.condition())
			} else if l.Price != nil && l.Price.Trial && l.Price.Base > 0 {
				kinds["only a trial, with a base"]++
			}
		}
		for _, condition := range purchases {
			kinds[condition]++
			if len(purchases) == 1 {
				kinds["only "+condition]++
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
	w, _ := newWorld(2, 400, 0, catalogtest.Regions("DE"))
	words, numbers, none, announced := 0, 0, 0, 0
	for _, c := range decode[gridAnswer](t, askConsole(t, w, "de-de", "categoryGridRetrieve", fmt.Sprintf(grid, 300, 0))).Data.CategoryGridRetrieve.Concepts {
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

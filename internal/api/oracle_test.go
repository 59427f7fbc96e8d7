package api_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"gamedex/internal/catalog"
	"gamedex/internal/index"
	"gamedex/internal/money"
)

// shownPrice is a region price by the plain reading of the contract: what the
// packed rows and the append encoder must give as well.
type shownPrice struct {
	Alpha2          string       `json:"alpha2"`
	Currency        string       `json:"currency"`
	Base            *int64       `json:"base"`
	Current         *int64       `json:"current"`
	DiscountPercent *int         `json:"discountPercent"`
	DiscountLabel   *string      `json:"discountLabel"`
	DiscountEndAt   *string      `json:"discountEndAt"`
	USD             *json.Number `json:"usd"`
	IsFree          bool         `json:"isFree"`
	IsTrial         bool         `json:"isTrial"`
	IsSubPlus       bool         `json:"isSubPlus"`
	SKU             *string      `json:"sku"`
	Source          *string      `json:"source"`
}

// perDollar are the rates of the sample.
func perDollar(c money.Currency) *big.Rat {
	rates := map[money.Currency]string{"UAH": "41.3", "TRY": "34.5", "PLN": "4.09", "INR": "84.4", "JPY": "155.2", "USD": "1"}
	rate, _ := new(big.Rat).SetString(rates[c])
	return rate
}

func orNull[T comparable](v, absent T) *T {
	if v == absent {
		return nil
	}
	return &v
}

func naivePrice(region string, p catalog.Price, now int64) shownPrice {
	if p.DiscountEndsAt != 0 && int64(p.DiscountEndsAt) <= now {
		p.Current, p.DiscountPercent, p.DiscountLabel, p.DiscountEndsAt = p.Base, catalog.NoPercent, "", 0
		if p.Base > 0 {
			p.Trial, p.Subscription = false, false
		}
	}
	s := shownPrice{
		Alpha2: region, Currency: string(p.Currency), Base: orNull(int64(p.Base), -1), Current: orNull(int64(p.Current), -1),
		DiscountPercent: orNull(p.DiscountPercent, catalog.NoPercent), DiscountLabel: orNull(p.DiscountLabel, ""),
		IsFree: p.Current == 0, IsTrial: p.Trial, IsSubPlus: p.Subscription, SKU: orNull("P", ""), Source: orNull(p.Source, ""),
	}
	if p.DiscountEndsAt != 0 {
		s.DiscountEndAt = orNull(p.DiscountEndsAt.Time().Format("2006-01-02T15:04:05.999Z07:00"), "")
	}
	if rate := perDollar(p.Currency); p.Current >= 0 && rate != nil {
		cents := new(big.Rat).Quo(new(big.Rat).SetInt64(int64(p.Current)), rate)
		cents.Add(cents, big.NewRat(1, 2)) // half up
		whole := new(big.Int).Quo(cents.Num(), cents.Denom())
		dollars, _ := new(big.Rat).SetFrac(whole, big.NewInt(100)).Float64()
		s.USD = orNull(json.Number(fmt.Sprint(dollars)), "")
	}
	return s
}

func anyPrice(t *rapid.T) catalog.Price {
	p := catalog.Price{
		Currency: rapid.SampledFrom([]money.Currency{"UAH", "TRY", "PLN", "JPY", "USD", "KZT"}).Draw(t, "currency"),
		Base:     money.Amount(rapid.OneOf(rapid.Int64Range(0, 3), rapid.Int64Range(0, 10_000_000)).Draw(t, "base")),
		Trial:    rapid.Bool().Draw(t, "trial"), Subscription: rapid.Bool().Draw(t, "subscription"),
		Source:          rapid.SampledFrom([]string{"", "graphql", catalog.SourceDoubtful}).Draw(t, "source"),
		DiscountPercent: catalog.NoPercent,
	}
	p.Current = p.Base
	if p.Base > 0 && rapid.Bool().Draw(t, "discounted") {
		p.Current = money.Amount(rapid.Int64Range(0, int64(p.Base)).Draw(t, "current"))
		p.DiscountPercent = money.DiscountPercent(p.Base, p.Current)
		p.DiscountLabel = rapid.SampledFrom([]string{"", "Sale", `"%" & <more>`}).Draw(t, "label")
		p.DiscountEndsAt = catalog.Millis(rapid.SampledFrom([]int64{0, start - 1, start, start + 1000, start + day}).Draw(t, "end"))
	}
	return p
}

func TestPricesAgreeWithThePlainReading(t *testing.T) {
	w := newWorld(t, unlimited)
	regions := []string{"UA", "TR", "PL", "IN"}
	rapid.Check(t, func(rt *rapid.T) {
		s := newSample()
		want := map[string]shownPrice{}
		var offers []offer
		for _, region := range regions {
			if region == "UA" || rapid.Bool().Draw(rt, "sold in "+region) {
				p := anyPrice(rt)
				offers = append(offers, offer{region, &p})
				want[region] = naivePrice(region, p, start)
			}
		}
		s.console(catalog.Card{ID: "AAAAAAAA", Type: catalog.Game, Title: "A"}, "P", "", offers...)
		w.live.Swap(index.NewView(s.open(t), sampleManifest(t)))
		var got struct {
			Data struct {
				Items []struct{ Regions map[string]shownPrice }
			}
		}
		if err := json.Unmarshal(w.get("/catalog/prices?ids=AAAAAAAA").want(200).body, &got); err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(want, got.Data.Items[0].Regions); diff != "" {
			rt.Fatalf("want -, got +:\n%s", diff)
		}
	})
}

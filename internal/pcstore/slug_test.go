package pcstore_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/sweep"
)

func pages(pairs ...string) []any {
	list := []any{}
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, object{"pageSlug": pairs[i], "pageType": pairs[i+1]})
	}
	return list
}

const number = "4525084e02ae42c6ba4446895970d2c6"

func TestHomeSlug(t *testing.T) {
	slugs := func(mappings, offers any, product, address any) object {
		return offer("a", "catalogNs", object{"mappings": mappings}, "offerMappings", offers, "productSlug", product, "urlSlug", address)
	}
	for _, tt := range []struct {
		name  string
		offer object
		want  string // home and aliases; empty: not listed
	}{
		{"the namespace's", slugs(pages("forge-1a2b3c", "productHome"), pages("forge-1a2b3c", "productHome"), nil, number), "forge-1a2b3c"},
		{"before the old one", slugs(pages("forge-1a2b3c", "productHome"), null, "forge/home", number), "forge-1a2b3c"},
		{"an add-on's own page is an alias", slugs(pages("forge-1a2b3c", "productHome"), pages("forge-hat-99", "offer"), nil, number), "forge-1a2b3c forge-hat-99"},
		{"not the first of the namespace's", slugs(pages("forge-news", "offer", "forge-1a2b3c", "productHome"), null, nil, number), "forge-1a2b3c"},
		{"the old one", slugs(null, null, "forge", number), "forge"},
		{"with home", slugs(null, null, "forge/home", "code-name"), "forge"},
		{"an old add-on", slugs(null, null, "forge/the-second-fire", "code-name"), "forge"},
		{"an old bundle", slugs(null, null, "bundles/two-forges", "code-name"), "two-forges"},
		{"in upper case", slugs(null, null, "Forge", "code-name"), "forge"},
		{"an attribute", offer("a", "catalogNs", nil, "offerMappings", nil, "productSlug", "[]",
			"customAttributes", attributes("com.pc.example.app.productSlug", "forge")), "forge"},
		{"its own home", slugs(pages(), pages("forge-1a2b3c", "productHome"), "[]", number), "forge-1a2b3c"},
		{"with _ and .", slugs(pages("nine_lives-vol.2-77", "productHome"), null, nil, number), "nine_lives-vol.2-77"},
		{"with white space around it", slugs(pages(" forge-1a2b3c\t", "productHome"), null, nil, number), "forge-1a2b3c"},
		{"in another script, NFD", slugs(pages("rally-Citroe\u0308n-99", "productHome"), null, nil, number), "rally-citroën-99"},
		{"of the namespace, with home", slugs(pages("forge_1/home", "productHome"), null, nil, number), "forge_1"},
		{"the old one, with all of these", slugs(null, null, " кузня_1/home ", "code-name"), "кузня_1"},
		{"an alias with _", slugs(pages("forge", "productHome"), pages("forge_hat", "offer", "forge hat", "offer"), nil, number), "forge forge_hat"},
		{"no page", slugs(null, pages(), nil, number), ""},
		{"a code name alone", slugs(null, null, nil, "tinoffergeneralaudience"), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			page := one(t, tt.offer).mustRead("UA", sweep.Prices, "")
			got := ""
			for _, p := range page.Parts {
				got = strings.Join(append([]string{p.Facts.Slug}, p.Facts.Aliases...), " ")
				if want := "https://www.pc.example/uk/p/" + url.PathEscape(p.Facts.Slug); p.StoreURL != want {
					t.Errorf("store URL %s, want %s", p.StoreURL, want)
				}
				if len(page.Items) != 1 || page.Items[0] != (sweep.Item{Kind: sweep.Details, ID: p.Facts.Slug}) {
					t.Errorf("items %v", page.Items)
				}
			}
			if got != tt.want || page.Interrupted {
				t.Errorf("home and aliases %q, want %q", got, tt.want)
			}
		})
	}
}

// homeless offers name only their own page.
func homeless(id, namespace, own string) object {
	return offer(id, "namespace", namespace, "catalogNs", object{"mappings": null}, "offerMappings", pages(own, "offer"), "urlSlug", number)
}

func mappingOf(product, sandbox string) string {
	return text(object{"productId": product, "sandboxId": sandbox, "modules": object{"pageOffers": []any{}}})
}

func TestLookUp(t *testing.T) {
	s := (&shop{
		search: func(int, int, string) string {
			return searched(9, homeless("a", "ns1", "hat"), homeless("b", "ns1", "scarf"), homeless("c", "ns2", "boot"))
		},
		mapping: func(slug string) string {
			return map[string]string{"hat": mappingOf("p1", "ns1")}[slug]
		},
		product: func(id string) string { return `{"mapping": {"slug": "Forge-1a2b3c"}}` },
	}).open(t)
	page := s.mustRead("UA", sweep.Prices, "")
	if len(page.Parts) != 2 || page.Parts[0].Facts.Slug != "forge-1a2b3c" || page.Parts[1].Facts.Slug != "forge-1a2b3c" || page.Requests != 4 {
		t.Errorf("page is %s", written(page))
	}
	once := []string{"search 0", "mapping hat", "product p1", "mapping boot"}
	if d := cmp.Diff(once, s.asked); d != "" {
		t.Errorf("asked (-want +got):\n%s", d)
	}
	s.now = noon.Add(59 * time.Minute)
	if page := s.mustRead("UA", sweep.Prices, ""); page.Requests != 1 || len(page.Parts) != 2 {
		t.Errorf("an hour later the homes were requested again: %q", s.asked)
	}
	s.now = noon.Add(time.Hour)
	if page := s.mustRead("UA", sweep.Prices, ""); page.Requests != 2 { // an offer without a page may now have one
		t.Errorf("after an hour %d requests: %q", page.Requests, s.asked)
	}
	s.now = noon.Add(24 * time.Hour)
	if page := s.mustRead("UA", sweep.Prices, ""); page.Requests != 4 {
		t.Errorf("after a day %d requests: %q", page.Requests, s.asked)
	}
}

// TestHomeSlugOfASibling checks that no query is sent where a sibling names the
// home page.
func TestHomeSlugOfASibling(t *testing.T) {
	s := (&shop{search: finds(homeless("a", "ns-forge", "hat"), offer("b"))}).open(t)
	page := s.mustRead("UA", sweep.Prices, "")
	if len(page.Parts) != 2 || page.Parts[0].Facts.Slug != "star-forge-1a2b3c" || len(page.Items) != 1 || page.Requests != 1 {
		t.Errorf("page is %s", written(page))
	}
	s.search = finds(homeless("a", "ns-old", "hat"), // an old game does so by its address
		offer("b", "namespace", "ns-old", "catalogNs", nil, "offerMappings", nil, "productSlug", "old-forge/home"))
	page = s.mustRead("UA", sweep.Prices, "")
	if len(page.Parts) != 2 || page.Parts[0].Facts.Slug != "old-forge" || page.Requests != 1 {
		t.Errorf("page is %s", written(page))
	}
}

// TestCodeNameOfAnotherGame checks that a code name may be the slug of another
// game.
func TestCodeNameOfAnotherGame(t *testing.T) {
	s := (&shop{
		search:  finds(offer("a", "namespace", "ns1", "catalogNs", nil, "offerMappings", nil, "urlSlug", "football")),
		mapping: func(slug string) string { return mappingOf("p9", "ns-football") },
	}).open(t)
	if page := s.mustRead("UA", sweep.Prices, ""); len(page.Parts) != 0 || len(page.Present) != 0 {
		t.Errorf("page is %s", written(page))
	}
	s.mapping = func(string) string {
		return text(object{"productId": "p9", "sandboxId": "other", "modules": object{"pageOffers": []any{object{"offerId": "a"}}}})
	}
	s.product = func(string) string { return `{"mapping": {"slug": "forge"}}` }
	s.now = noon.Add(2 * time.Hour)
	if page := s.mustRead("UA", sweep.Prices, ""); len(page.Parts) != 1 || page.Parts[0].Facts.Slug != "forge" {
		t.Errorf("page is %s", written(page))
	}
}

// TestNotASlug checks that an offer whose page has no slug is present and reported: a stored
// listing of it must not be withdrawn.
func TestNotASlug(t *testing.T) {
	for name, change := range map[string][]any{
		"of the namespace":  {"catalogNs", object{"mappings": pages("star forge", "productHome")}},
		"of the offer":      {"offerMappings", pages("forge%20hat", "offer")},
		"a path":            {"productSlug", "bundles//two-forges"},
		"an attribute":      {"customAttributes", attributes("com.pc.example.app.productSlug", "star+forge")},
		"only dots":         {"productSlug", "../home"},
		"of 129 characters": {"catalogNs", object{"mappings": pages(strings.Repeat("x", 129), "productHome")}},
	} {
		t.Run(name, func(t *testing.T) {
			s := one(t, offer("a", append([]any{"catalogNs", nil, "offerMappings", nil}, change...)...))
			page := s.mustRead("UA", sweep.Prices, "")
			if len(page.Parts) != 0 || fmt.Sprint(page.Present) != "[a]" || page.Interrupted {
				t.Errorf("page is %s", written(page))
			}
			if log := s.log.String(); !strings.Contains(log, "offer=a") || !strings.Contains(log, "is not a slug") {
				t.Errorf("the log is %q", log)
			}
		})
	}
}

// TestLookedUpNotASlug checks the same of a page that only the platform service names, also
// when its answer is cached.
func TestLookedUpNotASlug(t *testing.T) {
	s := (&shop{
		search:  finds(homeless("a", "ns1", "hat"), homeless("b", "ns1", "boot")),
		mapping: func(string) string { return mappingOf("p1", "ns1") },
		product: func(string) string { return `{"mapping": {"slug": "star forge"}}` },
	}).open(t)
	for _, requests := range []int{3, 1} {
		page := s.mustRead("UA", sweep.Prices, "")
		if len(page.Parts) != 0 || fmt.Sprint(page.Present) != "[a b]" || page.Requests != requests {
			t.Errorf("page is %s", written(page))
		}
	}
}

// TestLookUpFails checks that offers do not change while the platform service
// is down.
func TestLookUpFails(t *testing.T) {
	s := (&shop{
		search:  finds(homeless("a", "ns1", "hat"), offer("b", "namespace", "ns2")),
		mapping: func(string) string { return "down" },
	}).open(t)
	page := s.mustRead("UA", sweep.Prices, "")
	if len(page.Parts) != 1 || fmt.Sprint(page.Present) != "[a]" || page.Interrupted {
		t.Errorf("page is %s", written(page))
	}
	s.mapping = func(string) string { return mappingOf("p1", "ns1") }
	s.product = func(string) string { return `{"mapping": {"slug": "forge"}}` }
	if page = s.mustRead("UA", sweep.Prices, ""); len(page.Parts) != 2 { // a failure is not cached
		t.Errorf("page is %s", written(page))
	}
}

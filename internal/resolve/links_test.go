package resolve_test

import (
	"strings"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/index"
	"gamedex/internal/resolve"
	. "gamedex/internal/testing/catalogtest"
)

// linkedWorld has two games of either store. A slug of the PC store is a part of links of the
// console store. The host of the PC store has letters for which others can be mistaken.
func linkedWorld() *index.View {
	var lines Listings
	for i, slug := range []string{"hades", "deals"} {
		product := []string{"EP0001-PPSA00001_00-HADES00000000000", "EP0001-PPSA00002_00-OTHER00000000000"}[i]
		lines.Apply(
			Console("US", product, Family(slug), FamilyName(slug), Name(slug), Title(slug), Locale("en-US"), StoreURL("https://console.example/en-us/product/"+product)),
			PC("US", "pc-"+slug, slug, FamilyName(slug), Title(slug), Locale("en-US"), Type(catalog.Base), StoreURL("https://shop.kiosk.example/p/"+slug)))
	}
	return viewOf(&lines)
}

// TestLinksOfOtherHosts checks that only a link that a browser would follow to a store resolves to a
// game of this store, and only to the one that the store would show.
func TestLinksOfOtherHosts(t *testing.T) {
	const product, other = "EP0001-PPSA00001_00-HADES00000000000", "EP0001-PPSA00002_00-OTHER00000000000"
	none, hades, deals := [2]string{}, [2]string{"", "hades"}, [2]string{"", "deals"}
	r := &resolve.Resolver{View: linkedWorld()}
	for link, want := range map[string][2]string{
		"https://shop.kiosk.example/p/hades": hades, "HTTPS://SHOP.KIOSK.EXAMPLE/p/hades": hades, "http://shop.kiosk.example:8080/p/hades": hades,
		"shop.kiosk.example/p/hades": hades, "//shop.kiosk.example:443/p/h%61des": hades, "https://shop.kiosk.example:/p/hades#@evil.example": hades,
		"https://shop.kiosk.example/p/hades?x=https://evil.example/p/deals": hades, "https://shop.kiosk.example//p//hades//": hades,
		"https://console.example/en-us/product/" + product: {product}, "https://console.example/product/" + product + "/reviews": {product},

		// Another host follows a user and a password.
		"https://shop.kiosk.example@evil.example/p/hades": none, "https://shop.kiosk.example:443@evil.example/p/hades": none,
		"https://shop.kiosk.example:x@evil.example/p/hades": none, "shop.kiosk.example:@evil.example/p/hades": none, "https://shop.kiosk.example:x/p/hades": none,
		"https://shop.kiosk.example:80:x@evil.example/p/hades": none, "https://shop.kiosk.example%40evil.example/p/hades": none,
		"https://ann:secret@shop.kiosk.example/p/hades": none, "https://ann@shop.kiosk.example/p/hades": none,
		// The host is part of another one, or of its path.
		"https://shop.kiosk.example.evil.example/p/hades": none, "https://evil-shop.kiosk.example/p/hades": none, "https://shop.kiosk.example%2f.evil.example/p/hades": none,
		"https://shop.kiosk.example%2fp%2fhades": none, "https://shop.kiosk.example%23.evil.example/p/hades": none, "https://shop.kiosk.example%00.evil.example/p/hades": none,
		"https://shop.kiosk.example\\.evil.example/p/hades": none, "https://evil.example\\@shop.kiosk.example/p/hades": none, "https://shop.kiosk.example\x00.evil.example/p/hades": none,
		"evil.example/go://shop.kiosk.example/p/hades": none, "evil.example/https://shop.kiosk.example/p/hades": none, "//evil.example//shop.kiosk.example/p/hades": none,
		"https://evil.example/https://shop.kiosk.example/p/hades": none, "https:///shop.kiosk.example/p/hades": none, "https://[shop.kiosk.example]/p/hades": none,
		// Letters that look like those of the host, or become them in another case.
		"https://shop.\u212aiosk.example/p/hades": none, "https://shop.kiosK\u0307.example/p/hades": none, "https://shop.k\u0130osk.example/p/hades": none, "https://\u017fhop.kiosk.example/p/hades": none,
		"https://shop.ki\u043esk.example/p/hades": none, "https://xn--shop.kiosk.example/p/hades": none, "https://shop.kiosk.ex\u00adample/p/hades": none,
		// Other schemes.
		"javascript://shop.kiosk.example/p/hades": none, "file://shop.kiosk.example/p/hades": none, "evil.example://shop.kiosk.example/p/hades": none,
		"view-source:https://shop.kiosk.example/p/hades": none, "http\u017f://shop.kiosk.example/p/hades": none, "://shop.kiosk.example/p/hades": none,
		// The path leads to another game, or to none.
		"https://shop.kiosk.example/p/hades/../deals": deals, "https://shop.kiosk.example/p/hades/%2e%2e/deals": deals, "https://shop.kiosk.example/p/./hades/.": hades,
		"https://shop.kiosk.example/p/hades/..": none, "https://console.example/product/" + product + "/../" + other: {other},
		"https://console.example/product/" + product + "/..": none, "https://shop.kiosk.example/p/h%2561des": none, "https://shop.kiosk.example/p/hades%00": none,
		// The host is that of the other store.
		"https://console.example/en-us/deals": none, "https://shop.kiosk.example/p/" + product: none,
		// The longest link, of parts that no card has.
		"https://shop.kiosk.example/p/hades" + strings.Repeat("/x", 1000): none,
	} {
		for i, m := range r.Resolve(resolve.Item{Text: link, Kind: resolve.ID}, nil) {
			id := ""
			if m.Status == resolve.Resolved {
				if id = m.Card.ID(); m.Platform == catalog.ConsoleStore {
					row := m.Card.Rows().At(0)
					id = row.Product()
				}
			}
			if id != want[i] || m.Way == resolve.ByID != (id != "") {
				t.Errorf("%.90q in %s is %v, %q; want %q", link, m.Platform, m.Status, id, want[i])
			}
		}
	}
}

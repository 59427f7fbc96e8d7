package dashboard_test

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"gamedex/internal/dashboard"
	"gamedex/internal/feed"
	"gamedex/internal/feed/importer"
	"gamedex/internal/index"
	"gamedex/internal/sqldb"
)

// Addresses of pictures and of the store in feeds. An import refuses the first ones; the others have the form of
// addresses of the web. The first of these is harmless.
var (
	refusedAddresses = []string{
		"javascript:window.__x=1", "JavaScript://covers.example/%0awindow.__x=1", "data:image/svg+xml,<svg onload='window.__x=1'>", "vbscript:x", "blob:https://covers.example/x",
		"//evil.test/x.png", "/x.png", "https:evil.test/x.png", "https:/evil.test/x.png", "https:///evil.test/x.png", "ftp://covers.example/x.png", "file:///etc/passwd",
		"https://covers.example/a\nb.png", "https://covers.example/\r\nX-Evil: 1", "java\tscript:window.__x=1", "https://covers.example/\u0085x.png",
	}
	acceptedAddresses = []string{
		"https://covers.example/plain.png", "HTTPS://COVERS.example/plain.png", "https://games.test/demo/plain.png",
		"http://127.0.0.1/x.png", "http://169.254.169.254/latest/meta-data/", "http://[::1]/x.png", "http://covers.example/x.png", "https://covers.example:8443/x.png",
		"https://user:pass@covers.example/x.png", "https://covers.example@evil.test/x.png", "https://covers.example.evil.test/x.png", "https://evil.test/covers.example/x.png",
		`https://covers.example\@evil.test/x.png`, `https://covers.example\.evil.test/x.png`, `https://evil.test\@covers.example/x.png`, "https://covers.example%2f@evil.test/x.png",
		"https://games.test//evil.test/x.png", `https://games.test/\evil.test/x.png`, "https://games.test@evil.test/x.png", "https://games.test.evil.test/x.png", "https://games.test/javascript:x",
		`https://covers.example/"onerror="window.__x=1`, `https://covers.example/'onerror='window.__x=1`, "https://covers.example/`onerror=window.__x=1", `https://covers.example/x onerror=window.__x=1`,
		`https://covers.example/"><script>window.__x=1</script>`, `https://covers.example/x#'><svg/onload=window.__x=1>`, `https://games.test/demo/"><img src=x onerror=window.__x=1>`,
		`https://covers.example/</script><script>window.__x=1</script>`, `https://covers.example/&quot;onerror=&quot;window.__x=1`, `https://covers.example/--><script>window.__x=1</script>`,
		"https://covers.example/x; script-src *; img-src *", "https://covers.example/x.png 2x, https://evil.test/x.png", "https://covers.example/%0d%0aX-Evil:%201", "https://covers.example/\u2028\u202ex.png",
		`https://"><script>window.__x=1</script>/x.png`, `https://'onerror=window.__x=1/x.png`, "https://evil.test;script-src/x.png", "https://*/x.png",
	}
)

// addressedCatalog imports a game for each of the addresses, from lines in JSON and from a table, with the address in
// every field that has one. It returns the catalog without those that were refused.
func addressedCatalog(t *testing.T) *index.View {
	t.Helper()
	now := time.Now()
	var lines, table strings.Builder
	rows := csv.NewWriter(&table)
	_ = rows.Write(strings.Split("platform,region,product,slug,title,description,storeUrl,images.thumbnail,images.cover,images.logo,price.currency,price.base,price.current,observedAt", ","))
	for i, address := range slices.Concat(refusedAddresses, acceptedAddresses) {
		at, n := now.UTC().Format(time.RFC3339), strconv.Itoa(i)
		line, err := json.Marshal(map[string]any{
			"platform": "pcstore", "region": "UA", "product": "line" + n, "slug": "line-" + n, "title": "Line " + n, "description": "A game.", "storeUrl": address, "observedAt": at,
			"images": map[string]any{"thumbnail": address, "cover": address, "logo": address, "screenshots": []string{address}},
			"price":  map[string]any{"currency": "UAH", "base": 100000, "current": 50000},
		})
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(line, '\n'))
		_ = rows.Write([]string{"pcstore", "UA", "row" + n, "row-" + n, "Row " + n, "A game.", address, address, address, address, "UAH", "100000", "50000", at})
	}
	rows.Flush()
	view, err := catalogOf(t.Context(), func(db *sqldb.DB) error {
		for input, options := range map[string]*feed.TableOptions{lines.String(): nil, table.String(): {}} {
			var refused []string
			sum, err := importer.Import(t.Context(), db.Listings, importer.Options{
				Inputs: []string{"-"}, Table: options, Now: time.Now, Rejected: func(_ string, why *feed.LineError) { refused = append(refused, why.Error()) },
				Open: func(context.Context, string) (io.ReadCloser, int64, error) {
					return io.NopCloser(strings.NewReader(input)), -1, nil
				},
			})
			if err != nil || sum.Stored() != len(acceptedAddresses) || sum.Rejected != len(refusedAddresses) {
				return fmt.Errorf("%d stored, %d refused, want %d and %d (%w):\n%s", sum.Stored(), sum.Rejected, len(acceptedAddresses), len(refusedAddresses), err, strings.Join(refused, "\n"))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return view
}

// TestAddressesOfFeeds checks that no address of an import becomes markup or a source of pictures, in pages, previews,
// structured data, feeds and policies.
func TestAddressesOfFeeds(t *testing.T) {
	t.Parallel()
	view := addressedCatalog(t)
	v := passerby(t, func(w *world, c *dashboard.Config) {
		w.live.Swap(view)
		c.Web.PublicURL, c.Web.ImageHosts = "https://games.test", []string{"covers.example"}
	})
	const policy = "; img-src 'self' https://covers.example; form-action 'self'; "
	// The address of a picture, as a browser on a page of this site reads it, and one that other programs may show.
	source := regexp.MustCompile(`^/[^/\\]|^(?i:https://covers\.example)/`)
	preview := regexp.MustCompile(`^(?i:https?)://[^/\\@"'<>*;,\s]+/`)
	pictures, pages, known := map[string]bool{}, map[string]answered{}, map[string]bool{}
	plain := fmt.Sprintf("<h1>Line %d<", len(refusedAddresses))
	for _, address := range v.w.everyPublicAddress() {
		p := v.get(address)
		if p.status != http.StatusOK || !strings.Contains(p.header.Get("Content-Security-Policy"), policy) || p.header.Get("X-Evil") != "" {
			t.Errorf("%s: status %d, policy %q", address, p.status, p.header.Get("Content-Security-Policy"))
		}
		if pages[address] = p; strings.Contains(p.body, plain) {
			maps.Copy(known, kinds(t, []seen{withoutStructured(t, seen{address, p})}))
		}
	}
	for address, p := range pages {
		switch kind := p.header.Get("Content-Type"); {
		case strings.HasPrefix(kind, "text/html"):
			for _, part := range structuredPart.FindAllStringSubmatch(p.body, -1) {
				var product struct{ Image string }
				if err := json.Unmarshal([]byte(part[1]), &product); err != nil || !preview.MatchString(product.Image) {
					t.Errorf("%s: structured data with the picture %q (%v)", address, product.Image, err)
				}
			}
			if strings.Contains(address, "/games/") {
				checkPage(t, withoutStructured(t, seen{address, p}), known)
			}
			shape(t, p.body, func(kind string, n *html.Node) {
				switch {
				case n.Data == "img":
					picture := attribute(n, "src")
					if pictures[picture] = true; !source.MatchString(picture) || kind != "img alt decoding height loading referrerpolicy src width" {
						t.Errorf("%s: <%s> of %q", address, kind, picture)
					}
				case n.Data == "meta" && attribute(n, "property") == "og:image":
					picture := attribute(n, "content")
					if pictures[picture] = true; !preview.MatchString(picture) {
						t.Errorf("%s: the preview has the picture %q", address, picture)
					}
				}
			})
		case strings.HasPrefix(kind, "application/atom+xml"):
			for _, m := range regexp.MustCompile(`(?:href|src)="([^"]*)"`).FindAllStringSubmatch(p.body, -1) {
				if u, err := url.Parse(m[1]); err != nil || u.Host != "games.test" {
					t.Errorf("%s leads to %q", address, m[1])
				}
			}
		}
	}
	for _, picture := range []string{"https://covers.example/plain.png", "/demo/plain.png", "https://games.test/demo/plain.png", `https://covers.example/"onerror="window.__x=1`} {
		if !pictures[picture] {
			t.Errorf("no page has the picture %q", picture)
		}
	}
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

package pcstore_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/feed"
	"gamedex/internal/pcstore"
	"gamedex/internal/sweep"
	"gamedex/internal/upstream"
)

// noon is when everything in these tests happens.
var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// shop is a store over HTTP. Functions that are nil find nothing.
type shop struct {
	t       *testing.T
	search  func(start, count int, country string) string
	offer   func(id string) string
	mapping func(slug string) string
	product func(id string) string

	texts, images bool
	now           time.Time
	asked         []string // requests but for robots.txt, in short
	store         *pcstore.Store
	log           strings.Builder // of the store
}

const (
	searchHash = "1111111111111111111111111111111111111111111111111111111111111111"
	offerHash  = "2222222222222222222222222222222222222222222222222222222222222222"
)

// open starts the shop; its price regions are DE with AT and FR, and UA.
func (s *shop) open(t *testing.T) *shop {
	t.Helper()
	s.t = t
	if s.now.IsZero() {
		s.now = noon
	}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	profile, err := pcstore.ParseProfile(json.RawMessage(fmt.Sprintf(`{
		"graphql": "%[1]s/graphql", "platform": "%[1]s/platform/", "store": "PC",
		"operations": {"searchStoreQuery": "%[2]s", "getCatalogOffer": "%[3]s"},
		"category": "games/edition/base|addons", "pageSize": 4, "gameURL": "https://www.pc.example/{locale}/p/{slug}",
		"regions": [
			{"region": "UA", "locale": "uk", "currency": "UAH"},
			{"region": "DE", "locale": "de", "currency": "EUR", "countries": ["AT", "FR"]}
		]}`, server.URL, searchHash, offerHash)))
	if err != nil {
		t.Fatal(err)
	}
	address, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	client, err := upstream.New(upstream.Config{
		UserAgent: "gamedex-test (ops@example.org)", Now: time.Now, Rand: func() float64 { return 0 }, Log: slog.New(slog.DiscardHandler),
	}, []upstream.Host{{Name: address.Host, RequestsPerSecond: 10_000, PrivateAddresses: true, Attempts: 1}})
	if err != nil {
		t.Fatal(err)
	}
	s.store = pcstore.New(pcstore.Config{
		Profile: profile, Client: client, Texts: s.texts, Images: s.images,
		Now: func() time.Time { return s.now }, Log: slog.New(slog.NewTextHandler(&s.log, nil)),
	})
	return s
}

func (s *shop) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	var body string
	switch {
	case q.URL.Path == "/robots.txt":
	case q.URL.Path == "/graphql":
		body = s.query(q.URL.Query())
	case q.URL.Query().Get("store") != "PC" || q.URL.Query().Get("locale") == "" || q.URL.Query().Get("country") == "":
		s.t.Errorf("the platform service has the request %s", q.URL)
	case s.mapping != nil && strings.HasPrefix(q.URL.Path, "/platform/mappings/"):
		slug := strings.TrimPrefix(q.URL.Path, "/platform/mappings/")
		s.asked = append(s.asked, "mapping "+slug)
		body = s.mapping(slug)
	case s.product != nil && strings.HasPrefix(q.URL.Path, "/platform/products/"):
		id := strings.TrimPrefix(q.URL.Path, "/platform/products/")
		s.asked = append(s.asked, "product "+id)
		body = s.product(id)
	}
	switch body {
	case "":
		http.NotFound(w, q)
	case "down":
		http.Error(w, "down", http.StatusServiceUnavailable)
	default:
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, body)
	}
}

func (s *shop) query(q url.Values) string {
	var v struct {
		Start, Count            int
		Country, AllowCountries string
		OfferID                 string
		WithPrice               bool
	}
	if err := json.Unmarshal([]byte(q.Get("variables")), &v); err != nil {
		s.t.Errorf("variables: %v", err)
	}
	operation := q.Get("operationName")
	switch {
	case operation == "searchStoreQuery" && s.search != nil && v.WithPrice && v.AllowCountries == v.Country && strings.Contains(q.Get("extensions"), searchHash):
		s.asked = append(s.asked, fmt.Sprintf("search %d", v.Start))
		return s.search(v.Start, v.Count, v.Country)
	case operation == "getCatalogOffer" && s.offer != nil && strings.Contains(q.Get("extensions"), offerHash):
		s.asked = append(s.asked, "offer "+v.OfferID)
		return s.offer(v.OfferID)
	}
	s.t.Errorf("unexpected query %s", q)
	return ""
}

// read reads prices or details of the region's price region.
func (s *shop) read(region string, kind sweep.Kind, from string) (sweep.Page, error) {
	return s.store.Read(s.t.Context(), s.job(region, kind), from)
}

func (s *shop) mustRead(region string, kind sweep.Kind, from string) sweep.Page {
	s.t.Helper()
	page, err := s.read(region, kind, from)
	if err != nil {
		s.t.Fatal(err)
	}
	checkAll(s.t, page)
	return page
}

func (s *shop) job(region string, kind sweep.Kind) sweep.Job {
	for _, job := range s.store.Jobs() {
		if job.Scope.Region == catalog.MustRegion(region) && job.Scope.Kind == kind {
			return job
		}
	}
	s.t.Fatalf("no job %s %s", region, kind)
	return sweep.Job{}
}

// checkAll checks that every part makes a listing that the format accepts.
func checkAll(t *testing.T, page sweep.Page) {
	t.Helper()
	for _, part := range page.Parts {
		if part.Price != nil {
			own := *part.Price // the check completes it
			part.Price = &own
		}
		l, ok := sweep.Overlay(nil, &part)
		if !ok {
			t.Errorf("%v: too little for a listing", part.Key)
		} else if err := feed.Check(&l, catalog.MillisOf(noon.AddDate(1, 0, 0))); err != nil {
			t.Errorf("%v: %v", part.Key, err)
		}
	}
}

// object builds a JSON object.
type object = map[string]any

// offer returns an ordinary base game at 20 euros, changed by pairs of field
// and value; a nil value removes the field.
func offer(id string, changes ...any) object {
	o := object{
		"id": id, "namespace": "ns-forge", "title": "Star Forge", "offerType": "BASE_GAME", "status": "ACTIVE",
		"effectiveDate": "2024-05-02T15:00:00.000Z", "isCodeRedemptionOnly": false,
		"catalogNs":     object{"mappings": []any{object{"pageSlug": "star-forge-1a2b3c", "pageType": "productHome"}}},
		"offerMappings": []any{object{"pageSlug": "star-forge-1a2b3c", "pageType": "productHome"}},
		"price":         cost("EUR", 2, 2000, 2000, "20,00 €", "20,00 €"),
	}
	for i := 0; i < len(changes); i += 2 {
		field := changes[i].(string)
		if o[field] = changes[i+1]; changes[i+1] == nil {
			delete(o, field)
		}
	}
	return o
}

func cost(currency string, decimals, original, discount int, originalText, discountText string) object {
	return object{"totalPrice": object{
		"originalPrice": original, "discountPrice": discount, "discount": original - discount, "currencyCode": currency,
		"currencyInfo": object{"decimals": decimals},
		"fmtPrice":     object{"originalPrice": originalText, "discountPrice": discountText, "intermediatePrice": discountText},
	}}
}

// searched returns an answer of the search.
func searched(total int, elements ...any) string {
	return answered(object{"searchStore": object{"elements": elements, "paging": object{"count": 1000, "total": total}}})
}

func answered(inCatalog object, errors ...any) string {
	return text(object{"data": object{"Catalog": inCatalog}, "errors": errors})
}

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // the tests wrote it
	}
	return string(b)
}

// finds returns a search whose only page has these elements.
func finds(elements ...any) func(start, count int, country string) string {
	return func(int, int, string) string { return searched(len(elements), elements...) }
}

// one opens a shop whose search shows one offer.
func one(t *testing.T, o any) *shop {
	return (&shop{search: finds(o)}).open(t)
}

func fixture(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// written formats a page for review.
func written(p sweep.Page) string {
	var b strings.Builder
	for _, part := range p.Parts {
		writePart(&b, part)
	}
	fmt.Fprintf(&b, "present %q\n", p.Present)
	for _, item := range p.Items {
		fmt.Fprintf(&b, "item %s %s %q\n", item.Kind, item.ID, item.Mark)
	}
	fmt.Fprintf(&b, "next %q interrupted %v gone %v requests %d\n", p.Next, p.Interrupted, p.Gone, p.Requests)
	return b.String()
}

func writePart(b *strings.Builder, p sweep.Part) {
	f, own := p.Facts, p.Prose
	fmt.Fprintf(b, "%s %s %s %q (%s)", p.Region, p.Product, f.Type, f.Title, p.Locale)
	if f.Demo {
		b.WriteString(" demo")
	}
	fmt.Fprintf(b, "\n  family %s  slug %s %q  %s\n", f.Family, f.Slug, f.Aliases, p.StoreURL)
	fmt.Fprintf(b, "  price %s\n", price(p.Price))
	for _, line := range []struct {
		name  string
		value any
		field sweep.Shows
	}{
		{"edition", f.Edition, sweep.ShowsEdition}, {"publisher", own.Publisher, sweep.ShowsPublisher},
		{"developer", own.Developer, sweep.ShowsDeveloper}, {"released", own.ReleaseDate, sweep.ShowsReleaseDate},
		{"genres", own.Genres, sweep.ShowsGenres}, {"text", own.Description, sweep.ShowsDescription},
		{"pictures", []string{own.Cover, own.Thumbnail, own.Logo, fmt.Sprint(own.Screenshots)}, sweep.ShowsImages},
	} {
		switch {
		case p.Shows&line.field != 0:
			fmt.Fprintf(b, "  %s %q\n", line.name, line.value)
		case p.Guesses&line.field != 0:
			fmt.Fprintf(b, "  %s %q (guess)\n", line.name, line.value)
		}
	}
}

func price(p *catalog.Price) string {
	if p == nil {
		return "none"
	}
	s := fmt.Sprintf("%s %d %d %q %q %s", p.Currency, p.Base, p.Current, p.BaseText, p.CurrentText, p.Source)
	if p.DiscountEndsAt != 0 {
		s += " until " + p.DiscountEndsAt.Time().Format(time.RFC3339)
	}
	return s
}

// null is written as it is.
var null = json.RawMessage("null")

package rates_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/money"
	"gamedex/internal/rates"
	"gamedex/internal/upstream"
)

// now is the time of all tests without a clock.
var now = time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC)

func clock() time.Time { return now }

func fixture(t *testing.T, name string) string {
	t.Helper()
	body, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// site is a server with one document for each path, or a failure for all paths.
type site struct {
	*httptest.Server
	mu     sync.Mutex
	pages  map[string]page
	status int      // for every path; 0: answer with the pages
	keys   []string // received Authorization headers
}

type page struct{ contentType, body string }

func newSite(t *testing.T, pages map[string]page) *site {
	s := &site{pages: pages}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.keys = append(s.keys, r.Header.Get("Authorization"))
		p, ok := s.pages[r.URL.Path]
		switch {
		case s.status != 0:
			w.WriteHeader(s.status)
		case !ok:
			http.NotFound(w, r)
		default:
			w.Header().Set("Content-Type", p.contentType)
			fmt.Fprint(w, p.body)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *site) set(change func(*site)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s)
}

// fail makes the site answer every request with a status.
func (s *site) fail(status int) { s.set(func(s *site) { s.status = status }) }

// client returns an upstream client that may send requests to the site.
func (s *site) client(t *testing.T, log *slog.Logger) *upstream.Client {
	t.Helper()
	host, err := rates.HostOf(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	host.PrivateAddresses, host.Attempts, host.RequestsPerSecond = true, 1, 1000
	c, err := upstream.New(upstream.Config{
		UserAgent: "gamedex-test (ops@example.org)", Now: time.Now, Rand: func() float64 { return 0 }, Log: log,
	}, []upstream.Host{host})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

var quiet = slog.New(slog.DiscardHandler)

const key = "k3y-0f-th1s-t3st"

// providers returns all providers, on the same site.
func providers(t *testing.T, s *site, log *slog.Logger) map[string]rates.Provider {
	c := s.client(t, log)
	return map[string]rates.Provider{
		"banks":             rates.Banks{Client: c, ECB: s.URL + "/ecb", NBU: s.URL + "/nbu?json", Now: clock},
		"openexchangerates": rates.OpenExchangeRates{Client: c, URL: s.URL + "/oxr", Key: key},
		"table":             rates.Table{Client: c, URL: s.URL + "/table?token=" + key},
	}
}

func goodPages(t *testing.T) map[string]page {
	return map[string]page{
		"/ecb":   {"text/xml", fixture(t, "ecb.xml")},
		"/nbu":   {"application/json; charset=utf-8", fixture(t, "nbu.json")},
		"/oxr":   {"application/json; charset=utf-8", fixture(t, "openexchangerates.json")},
		"/table": {"text/plain; charset=utf-8", fixture(t, "table.json")},
	}
}

// testProvider checks the behaviour that every provider must have.
func testProvider(t *testing.T, p rates.Provider, at time.Time, breakIt func()) {
	first, err := p.Fetch(t.Context())
	if err != nil {
		t.Fatalf("a good answer: %v", err)
	}
	for _, c := range []money.Currency{"USD", "UAH", "EUR", "JPY"} {
		if !first.USD(c).Known() {
			t.Errorf("no rate of %s", c)
		}
	}
	if first.Base() != money.USD || first.UpdatedAt() <= 0 || first.UpdatedAt() > at.UnixMilli() {
		t.Errorf("base %s, updatedAt %d, want USD and a time not after %d", first.Base(), first.UpdatedAt(), at.UnixMilli())
	}
	again, err := p.Fetch(t.Context())
	if err != nil || again.Hash() != first.Hash() {
		t.Errorf("the same answer again: hash %x, want %x, error %v", again.Hash(), first.Hash(), err)
	}
	if name := p.Name(); name == "" || len(name) > 40 || name != p.Name() {
		t.Errorf("name %q", name)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if r, err := p.Fetch(stopped); !errors.Is(err, context.Canceled) || !r.IsZero() {
		t.Errorf("after a stop: table %v, error %v", !r.IsZero(), err)
	}
	breakIt()
	if r, err := p.Fetch(t.Context()); err == nil || !r.IsZero() {
		t.Errorf("broken: table %v, error %v", !r.IsZero(), err)
	}
}

func TestProviders(t *testing.T) {
	for _, name := range []string{"banks", "openexchangerates", "table"} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, goodPages(t))
			testProvider(t, providers(t, s, quiet)[name], now, func() { s.fail(http.StatusInternalServerError) })
		})
	}
}

func TestProviderTables(t *testing.T) {
	tests := []struct{ name, provider, want string }{
		{"the first bank comes first, the second adds to it", "banks",
			`{"base":"USD","rates":{"EUR":0.8,"INR":88,"JPY":160,"PLN":3.44,"TRY":41,"UAH":44,"USD":1},"updatedAt":"2026-11-19T00:00:00.000Z"}`},
		{"unknown currencies are omitted", "openexchangerates",
			`{"base":"USD","rates":{"EUR":0.8,"INR":88,"JPY":160,"TRY":41,"UAH":44,"USD":1},"updatedAt":"2026-11-20T02:00:00.000Z"}`},
		{"another base is converted to dollars", "table",
			`{"base":"USD","rates":{"EUR":0.8,"JPY":160,"UAH":40,"USD":1},"updatedAt":"2026-11-20T01:00:00.000Z"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := providers(t, newSite(t, goodPages(t)), quiet)[tt.provider].Fetch(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(r.AppendJSON(nil))); diff != "" {
				t.Errorf("table (-want +got):\n%s", diff)
			}
		})
	}
}

// documents are answers without a server.
type documents map[string]string

func (d documents) Get(_ context.Context, r upstream.Request) (upstream.Answer, error) {
	return upstream.Answer{Status: http.StatusOK, Body: []byte(d[r.URL])}, nil
}

const (
	ecbUSD = `<E><Cube><Cube time='2026-11-19'><Cube currency='USD' rate='1.25'/></Cube></Cube></E>`
	nbuUSD = `[{"cc":"USD","rate":44,"exchangedate":"19.11.2026"}]`
)

func banks(ecb, nbu string) rates.Banks {
	return rates.Banks{Client: documents{rates.ECBURL: ecb, rates.NBUURL: nbu}, Now: clock}
}

func TestBankUnits(t *testing.T) {
	const want = `{"base":"USD","rates":{"BDT":125,"EUR":0.8,"KZT":500,"UAH":44,"USD":1},"updatedAt":"2026-11-19T00:00:00.000Z"}`
	r, err := banks(ecbUSD, fixture(t, "nbu-units.json")).Fetch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(r.AppendJSON(nil))); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
}

func TestBankTime(t *testing.T) {
	tests := []struct{ name, ecb, nbu, want string }{
		{"the first is older", "2026-11-18", "20.11.2026", "2026-11-18"},
		{"the second is older", "2026-11-19", "17.11.2026", "2026-11-17"},
		{"the second is ahead", "2026-11-20", "23.11.2026", "2026-11-20"},
		{"both are ahead", "2026-11-21", "23.11.2026", "2026-11-20"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := banks(strings.Replace(ecbUSD, "2026-11-19", tt.ecb, 1), strings.Replace(nbuUSD, "19.11.2026", tt.nbu, 1))
			r, err := b.Fetch(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if got := time.UnixMilli(r.UpdatedAt()).UTC().Format("2006-01-02"); got != tt.want || r.UpdatedAt()%86400000 != 0 {
				t.Errorf("updatedAt %d, on %s, want the beginning of %s", r.UpdatedAt(), got, tt.want)
			}
		})
	}
}

func TestBanksRefuse(t *testing.T) {
	ecb := func(old, new string) string { return strings.Replace(ecbUSD, old, new, 1) }
	nbu := func(old, new string) string { return strings.Replace(nbuUSD, old, new, 1) }
	tests := []struct{ name, ecb, nbu, want string }{
		{"nothing", "", nbuUSD, "European Central Bank: not XML"},
		{"cut off", ecbUSD[:70], nbuUSD, "European Central Bank: not XML"},
		{"a page", "<html><body>Maintenance</body></html>", nbuUSD, "the document has no rates"},
		{"no day", ecb(" time='2026-11-19'", ""), nbuUSD, `the date "" is not`},
		{"a far future", ecb("2026-11-19", "2026-11-22"), nbuUSD, "the date 2026-11-22 is in the future"},
		{"a comma", ecb("1.25", "1,25"), nbuUSD, `ecb+nbu: there is no rate of USD; skipped entries: USD (its rate is not a decimal number)`},
		{"negative", ecb("1.25", "-1.25"), nbuUSD, "USD (its rate is not between 1e-9 and 1e9)"},
		{"huge", ecb("1.25", "1e999999999"), nbuUSD, "is not between 1e-9 and 1e9"},
		{"tiny", ecb("1.25", "1e-999999999"), nbuUSD, "is not between 1e-9 and 1e9"},
		{"hexadecimal", ecb("1.25", "0x1p4"), nbuUSD, "is not a decimal number"},
		{"not a number", ecb("1.25", "NaN"), nbuUSD, "is not a decimal number"},
		{"a fraction", ecb("1.25", "5/4"), nbuUSD, "is not a decimal number"},
		{"twice", ecb("</Cube>", "<Cube currency='USD' rate='1.3'/></Cube>"), nbuUSD, "the rate of USD is given twice"},
		{"euro of another worth", ecb("</Cube>", "<Cube currency='EUR' rate='2'/></Cube>"), nbuUSD, "the rate of EUR against itself is 2, want 1"},
		{"no dollar at the first", ecb("USD", "TRY"), nbuUSD, "there is no rate of USD"},
		{"no dollar at the second", ecbUSD, nbu("USD", "TRY"), "there is no rate of USD"},
		{"empty list", ecbUSD, "[]", "National Bank of Ukraine: the list is empty"},
		{"complaint", ecbUSD, fixture(t, "nbu-error.xml"), `National Bank of Ukraine: the bank answered "Made-up complaint"`},
		{"other markup", ecbUSD, "<!doctype html><p>x", "not the list of rates but markup"},
		{"an object", ecbUSD, `{"message":"x"}`, "National Bank of Ukraine: not the list of rates"},
		{"a date of another form", ecbUSD, nbu("19.11.2026", "2026-11-19"), `the date "2026-11-19" of "USD" is not`},
		{"next year", ecbUSD, nbu("19.11.2026", "19.11.2027"), "the date 2027-11-19 is in the future"},
		{"negative units", ecbUSD, nbu(`"rate"`, `"units":-1,"rate"`), "USD (its units: is not between 1e-9 and 1e9)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := banks(tt.ecb, tt.nbu).Fetch(t.Context())
			if err == nil || !strings.Contains(err.Error(), tt.want) || !r.IsZero() {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

func TestOpenExchangeRatesRefuses(t *testing.T) {
	tests := []struct{ name, body, want string }{
		{"an error", fixture(t, "openexchangerates-error.json"), "the provider answered not_allowed"},
		{"an error with another text", `{"error":true,"message":"No ` + key + ` here"}`, "the provider answered with an error"},
		{"no JSON", "<html>", "not the table of rates"},
		{"a list", "[]", "not the table of rates"},
		{"no base", `{"timestamp":1795140000,"rates":{"USD":1}}`, "base: parse currency"},
		{"no dollar", `{"timestamp":1795140000,"base":"EUR","rates":{"UAH":1}}`, "no rate of USD"},
		{"a dollar of another worth", `{"timestamp":1795140000,"base":"USD","rates":{"USD":2}}`, "USD against itself is 2"},
		{"twice in another case", `{"timestamp":1795140000,"base":"USD","rates":{"UAH":2,"uah":3}}`, "UAH is given twice"},
		{"before 1970", `{"timestamp":-5,"base":"USD","rates":{"UAH":2}}`, "timestamp: -5"},
		{"no time", `{"base":"USD","rates":{"UAH":2}}`, "timestamp: 0"},
		{"a time out of range", `{"timestamp":9000000000000,"base":"USD","rates":{"UAH":2}}`, "updatedAt"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := rates.OpenExchangeRates{Client: documents{rates.OpenExchangeRatesURL: tt.body}, Key: key}
			r, err := o.Fetch(t.Context())
			if err == nil || !strings.HasPrefix(err.Error(), "openexchangerates: ") || !strings.Contains(err.Error(), tt.want) || !r.IsZero() {
				t.Errorf("error %v, want %q", err, tt.want)
			}
			if err != nil && strings.Contains(err.Error(), key) {
				t.Errorf("the error contains the key: %v", err)
			}
		})
	}
}

func TestOpenExchangeRatesExplainsAStatus(t *testing.T) {
	for status, want := range map[int]string{
		http.StatusUnauthorized:    "the key is not accepted",
		http.StatusForbidden:       "the key's plan does not allow this",
		http.StatusTooManyRequests: "are used up",
	} {
		s := newSite(t, nil)
		s.fail(status)
		_, err := providers(t, s, quiet)["openexchangerates"].Fetch(t.Context())
		if e, ok := errors.AsType[*upstream.Error](err); !ok || e.Status != status || !strings.Contains(err.Error(), want) {
			t.Errorf("%d: %v, want %q", status, err, want)
		}
	}
	for _, bad := range []rates.Secret{"", "two words", "line\nbreak", "ключ"} {
		_, err := rates.OpenExchangeRates{Client: documents{}, Key: bad}.Fetch(t.Context())
		if err == nil || !strings.Contains(err.Error(), "set the key of your account") {
			t.Errorf("key %q: %v", string(bad), err)
		}
	}
}

// TestErrorsHideTheKey checks that no error or log contains the key, which one
// provider sends in a header and another in its address.
func TestErrorsHideTheKey(t *testing.T) {
	var said strings.Builder
	log := slog.New(slog.NewJSONHandler(&said, &slog.HandlerOptions{Level: slog.LevelDebug}))
	for name, broken := range map[string]func(*site){
		"good":         func(*site) {},
		"unauthorized": func(s *site) { s.status = http.StatusUnauthorized },
		"forbidden":    func(s *site) { s.status = http.StatusForbidden },
		"down":         func(s *site) { s.status = http.StatusBadGateway },
		"not found":    func(s *site) { s.pages = nil },
		"garbage": func(s *site) {
			s.pages = map[string]page{"/oxr": {"application/json", "{"}, "/table": {"text/html", "<p>"}}
		},
	} {
		s := newSite(t, goodPages(t))
		s.set(broken)
		all := providers(t, s, log)
		fetch := func() {
			for _, name := range []string{"openexchangerates", "table", "banks"} { // one 403 stops all requests to the host
				_, err := all[name].Fetch(t.Context())
				log.Info("fetched", "error", err, "key", rates.OpenExchangeRates{Key: key})
				fmt.Fprintf(&said, "%v %+v %#v\n", err, rates.OpenExchangeRates{Key: key}, rates.OpenExchangeRates{Key: key})
			}
		}
		fetch()
		s.Close()
		fetch()
		if !slices.Contains(s.keys, "Token "+key) {
			t.Errorf("%s: the key was not sent", name)
		}
	}
	if said := said.String(); strings.Contains(said, key) {
		t.Errorf("the key is in an error or the log:\n%s", said)
	}
}

// writeFile returns the path of a new file.
func writeFile(t *testing.T, body string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rates.json")
	if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTableFile(t *testing.T) {
	write := func(body string) string { return writeFile(t, body) }
	const exact = `{"base":"USD","rates":{"EUR":0.80000000000000001,"UAH":44.10},"updatedAt":"2026-11-20T01:00:00.000Z"}`
	r, err := rates.Table{File: write(exact)}.Fetch(t.Context())
	if diff := cmp.Diff(exact, string(r.AppendJSON(nil))); err != nil || diff != "" {
		t.Errorf("%v; table (-want +got):\n%s", err, diff)
	}
	for name, tt := range map[string]struct{ path, want string }{
		"absent":      {filepath.Join(t.TempDir(), "none.json"), "none.json"},
		"a directory": {t.TempDir(), "not a regular file"},
		"garbage":     {write("{"), "parse rates"},
		"no dollar":   {write(`{"base":"EUR","rates":{"UAH":44},"updatedAt":"2026-11-20T01:00:00Z"}`), "rates.USD"},
		"too large":   {write(strings.Repeat(" ", 1<<20) + exact), "more than 1048576 bytes"},
	} {
		if _, err := (rates.Table{File: tt.path}).Fetch(t.Context()); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}

func TestHostOf(t *testing.T) {
	host, err := rates.HostOf("http://rates.example:81/table.json?token=" + key)
	if err != nil || host.Name != "rates.example:81" {
		t.Errorf("host %q, %v", host.Name, err)
	}
	for _, bad := range []string{"", "rates.example/table", "ftp://rates.example/?" + key, "https:///x?" + key, "https://a b/" + key} {
		if _, err := rates.HostOf(bad); err == nil || strings.Contains(err.Error(), key) {
			t.Errorf("HostOf(%q): %v", bad, err)
		}
	}
}

// TestBadEntries reads tables of all providers in which one entry is no rate: the others
// are taken, and the bad one is named.
func TestBadEntries(t *testing.T) {
	file := func(body string) rates.Provider { return rates.Table{File: writeFile(t, body)} }
	table := func(entries string) string {
		return `{"base":"USD","rates":{"USD":1,` + entries + `},"updatedAt":"2026-11-20T01:00:00Z"}`
	}
	latest := func(entries string) rates.Provider {
		body := `{"timestamp":1795140000,"base":"USD","rates":{"USD":1,` + entries + `}}`
		return rates.OpenExchangeRates{Client: documents{rates.OpenExchangeRatesURL: body}, Key: key}
	}
	const unknown = " (no ISO 4217 code in use at the time of the table)"
	for _, tt := range []struct {
		name          string
		from          rates.Provider
		want, skipped string
	}{
		{"a currency that ended", file(table(`"UAH":42,"BGN":1.68`)), "[UAH USD]", `"BGN"` + unknown},
		{"no currency", rates.Table{Client: documents{"https://rates.example": table(`"UAH":42,"GGP":0.8,"BTC":1e-5`)}, URL: "https://rates.example"},
			"[UAH USD]", `"BTC", "GGP"` + unknown},
		{"null and zero", file(table(`"UAH":42,"TRY":0,"PLN":null`)), "[UAH USD]", `PLN ("null" is not a JSON number), TRY ("0" must be above zero)`},
		{"out of bounds", file(table(`"UAH":42,"TRY":1e12,"XAU":1`)), "[UAH USD]",
			`TRY (its rate to one USD, 1000000000000, is not between 1e-9 and 1e9), "XAU"` + unknown},
		{"another base", file(`{"base":"EUR","rates":{"USD":1.25,"TRY":0,"UAH":50},"updatedAt":"2026-11-20T01:00:00Z"}`), "[EUR UAH USD]", `TRY ("0" must be above zero)`},
		{"a text", latest(`"UAH":42,"TRY":"` + key + `"`), "[UAH USD]", "TRY (its rate is not a decimal number)"},
		{"an object", latest(`"UAH":42,"TRY":{},"BTC":0.1`), "[UAH USD]", "TRY (its rate is not a decimal number)"},
		{"a negative rate of a bank", banks(strings.Replace(ecbUSD, "</Cube>", "<Cube currency='TRY' rate='-1'/><Cube currency='PLN' rate='4'/></Cube>", 1), nbuUSD),
			"[EUR PLN UAH USD]", "TRY (its rate is not between 1e-9 and 1e9)"},
		{"out of bounds by the dollar", banks(strings.Replace(ecbUSD, "</Cube>", "<Cube currency='TRY' rate='1e-9'/></Cube>", 1), nbuUSD),
			"[EUR UAH USD]", "TRY (its rate to one USD, 0.0000000008, is not between 1e-9 and 1e9)"},
	} {
		r, err := tt.from.Fetch(t.Context())
		if err != nil || fmt.Sprint(r.Currencies()) != tt.want || r.Skipped() != tt.skipped {
			t.Errorf("%s: %s, skipped %s, %v; want %s, skipped %s", tt.name, r.Currencies(), r.Skipped(), err, tt.want, tt.skipped)
		}
	}
}

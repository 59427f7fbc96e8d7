package api_test

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/index"
)

// TestLinksAreNotFetched resolves and searches for links to a server on this machine, which is the store of
// the catalog, too: nobody connects to it.
func TestLinksAreNotFetched(t *testing.T) {
	connected := make(chan string, 1000)
	store := httptest.NewUnstartedServer(nil)
	store.Config.ConnState = func(conn net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connected <- conn.RemoteAddr().String()
		}
	}
	store.Start()
	defer store.Close()
	host := store.Listener.Addr().String()
	s := sampleCatalog()
	for i := range s.in.Cards {
		if c := &s.in.Cards[i]; c.StoreURL != "" {
			c.StoreURL = strings.Replace(c.StoreURL, "https://store.example", "http://"+host, 1)
		}
	}
	for i := range s.in.Entries {
		e := &s.in.Entries[i]
		e.URL = catalog.URLPattern(strings.Replace(string(e.URL), "https://store.example", "http://"+host, 1))
	}
	w := newWorld(t, unlimited)
	w.live.Swap(index.NewView(s.open(t), sampleManifest(t)))

	const path = "/UA/sf-base"
	_, port, _ := net.SplitHostPort(host)
	links := []string{
		"http://" + host + path, "HTTP://" + host + path, host + path, "//" + host + path, "https://" + host + path, "http://" + host + path + "?x=http://" + host + "#http://" + host,
		"http://localhost:" + port + path, "http://LOCALHOST:" + port + path, "http://2130706433:" + port + path, "http://0x7f.1:" + port, "http://[::ffff:127.0.0.1]:" + port + path, "http://[::1]:" + port,
		"http://ann:secret@" + host + path, "http://store.example@" + host + path, "http://store.example:80@" + host + path, "http://store.example%2f@" + host + path,
		"http://xn--ls8h.example:" + port + path, "http://крамниця.example:" + port + path, "http://127.0.0.1.:" + port + path, "http://127。0。0。1:" + port + path,
		"http://" + host + "/../../sf-base", "http://" + host + "/%2e%2e/%2fsf-base", "http://" + host + "/%00/sf-base", "http://" + host + "/\x00/sf-base", "http://" + host + "\\" + path,
		"ftp://" + host + path, "file://" + host + path, "gopher://" + host + path, "javascript://" + host + path, "http://" + host + "/" + strings.Repeat("x/", 900),
		"http://" + host + "/" + strings.Repeat("я", 2000), "http://" + host + "/" + strings.Repeat("я", 8<<10),
	}
	resolved := 0
	for _, link := range links {
		text, err := json.Marshal(link)
		must(t, err)
		r := w.resolve(fmt.Sprintf(`[%[1]s,{"title":%[1]s},{"id":%[1]s},{"id":%[1]s,"platform":"pcstore"}]`, text)).want(200)
		if r.at("data.items.2.matches.1.id") == "star-forge" {
			resolved++
		}
		if len([]rune(link)) <= 200 {
			w.get("/catalog/search?q=" + url.QueryEscape(link))
			w.get("/catalog/games/" + url.PathEscape(link))
		}
	}
	if resolved < 6 {
		t.Errorf("%d links lead to the game: the store is not on this machine", resolved)
	}
	// The first connection is that of the test itself.
	own, err := net.Dial("tcp", host)
	must(t, err)
	defer own.Close()
	if first := <-connected; first != own.LocalAddr().String() {
		t.Errorf("a link was followed: %s connected", first)
	}
}

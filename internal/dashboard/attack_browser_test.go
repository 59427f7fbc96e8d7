package dashboard_test

import (
	"fmt"
	"html/template"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"gamedex/internal/account"
	"gamedex/internal/catalog"
	"gamedex/internal/testing/browsertest"
)

// evilSite is another site, as a browser sees it: its page sends every form of
// the route table, in frames and by script, and requests every page.
type evilSite struct {
	Forms []evilForm
	Pages []string
	URL   string
}

type evilForm struct {
	Action string
	Fields []evilField
}

type evilField struct{ Name, Value string }

var evilPages = template.Must(template.New("").Parse(`<!doctype html><title>Win a prize</title><body>
{{define "form"}}{{range .Fields}}<input name="{{.Name}}" value="{{.Value}}">{{end}}{{end}}
{{define "one"}}<!doctype html><title>Win a prize</title><form method="post" action="{{.Action}}">{{template "form" .}}</form><script>document.forms[0].submit()</script>{{end}}
{{range $i, $f := .Forms}}<iframe name="frame{{$i}}"></iframe><form method="post" action="{{.Action}}" target="frame{{$i}}">{{template "form" .}}</form>
{{end}}
{{range .Pages}}<img src="{{.}}">
{{end}}
<iframe src="{{index .Pages 0}}"></iframe>
<p id="said">waiting</p>
<script>
const forms = [...document.forms];
const loaded = forms.map((form, i) => new Promise(resolve => {
  document.querySelector("iframe[name=frame" + i + "]").addEventListener("load", resolve);
  form.submit();
}));
const fetched = forms.flatMap(form => ["no-cors", "cors"].map(mode =>
  fetch(form.action, {method: "POST", mode, credentials: "include", body: new URLSearchParams(new FormData(form))})
    .then(answer => answer.type, () => "refused")));
Promise.all([...loaded, ...fetched]).then(all => {
  document.querySelector("#said").textContent = "sent " + all.length + ", read " + all.filter(kind => kind === "basic" || kind === "cors").length;
});
</script>`))

func newEvilSite(s *attackedWorld) *evilSite {
	site := &evilSite{}
	for _, rt := range routesOf(http.MethodPost) {
		f := evilForm{Action: s.server.URL + s.pathOf(rt)}
		form := s.formOf(rt)
		for i := 0; i < len(form); i += 2 {
			f.Fields = append(f.Fields, evilField{form[i], form[i+1]})
		}
		site.Forms = append(site.Forms, f)
	}
	for _, rt := range routesOf(http.MethodGet) {
		site.Pages = append(site.Pages, s.server.URL+s.pathOf(rt))
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		var n int
		if _, err := fmt.Sscanf(r.URL.Path, "/form/%d", &n); err == nil {
			_ = evilPages.ExecuteTemplate(w, "one", site.Forms[n])
			return
		}
		_ = evilPages.Execute(w, site)
	}))
	s.t.Cleanup(server.Close)
	_, port, _ := strings.Cut(strings.TrimPrefix(server.URL, "http://"), ":")
	site.URL = "http://evil.test:" + port
	return site
}

// countRefused counts the forms that are answered with a 403 from now on.
func (s *attackedWorld) countRefused() *atomic.Int64 {
	refused, next := new(atomic.Int64), s.server.Config.Handler
	s.server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		status := &statusWriter{ResponseWriter: w}
		next.ServeHTTP(status, r)
		if r.Method == http.MethodPost && status.status == http.StatusForbidden {
			refused.Add(1)
		}
	})
	return refused
}

type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// TestForgedFormsInABrowser visits another site while an administrator is
// signed in here.
func TestForgedFormsInABrowser(t *testing.T) {
	t.Parallel()
	s := newAttackedWorld(t)
	site := newEvilSite(s)
	ann := s.browse(browsertest.Options{Origins: []string{site.URL}})
	for _, refusal := range []string{"frame-ancestors 'none'", "blocked by CORS policy", "status of 403", "net::ERR_FAILED"} {
		ann.Expect(refusal)
	}
	ann.SetCookie(sessionCookie, s.as(s.ann).cookie("gamedex"))
	ann.Go("/profile")
	ann.See(annEmail)
	before, refused := s.state(), s.countRefused()
	ann.Go(site.URL + "/")
	ann.See(fmt.Sprintf("sent %d, read 0", 3*len(site.Forms)))
	if n := int(refused.Load()); n < 3*len(site.Forms) {
		t.Errorf("%d forms were refused, %d were sent", n, 3*len(site.Forms))
	}
	s.unchanged(before, "another site's page")
	for i, f := range site.Forms {
		if strings.Contains(f.Action, "/signin") || strings.HasSuffix(f.Action, "/delete") || strings.HasSuffix(f.Action, "/keys/new") {
			ann.Go(fmt.Sprintf("%s/form/%d", site.URL, i))
			ann.See("another site")
		}
	}
	s.unchanged(before, "another site's form")
	ann.Go("/profile")
	ann.See(annEmail)
}

// TestTextDoesNotRunInABrowser shows every payload to a real browser, on the
// pages of their owner, of an administrator and of the explorer. The visitors
// fail the test if the policy had to stop anything.
func TestTextDoesNotRunInABrowser(t *testing.T) {
	t.Parallel()
	s := hostileWorld(t)
	by := account.By{At: millis(), Actor: s.ann.ID}
	for _, text := range payloads {
		if (account.Draft{Name: text}).Check(millis()) != nil {
			continue
		}
		key, _ := s.addKey(s.bob, text)
		by.Detail = text
		if _, err := s.db.Accounts.SuspendKey(t.Context(), key.ID, text, by); err != nil {
			t.Fatal(err)
		}
	}
	all := url.QueryEscape(strings.Join(payloads, " "))
	addresses := map[string][]string{
		bobEmail: {"/keys", "/usage", "/keys/" + s.key.ID},
		annEmail: {"/status", "/admin/keys", "/admin/audit", "/admin/users/" + s.bob.ID, "/en/browse", "/en/browse?q=window", "/en/browse?q=" + url.QueryEscape(payloads[0]+payloads[1]), "/nowhere/" + url.PathEscape(payloads[0])},
		"":       {"/signin?back=" + all, "/signup?email=" + all},
	}
	for _, text := range payloads {
		q := url.QueryEscape(text)
		addresses[annEmail] = append(addresses[annEmail], "/admin/users?q="+q+"&after="+q)
	}
	for i := range s.live.View().Len() {
		if c := s.live.View().Card(i); c.Platform() == catalog.PCStore || i%7 == 0 {
			addresses[annEmail] = append(addresses[annEmail], "/en/games/"+c.Platform().String()+"/"+url.PathEscape(c.ID()))
		}
	}
	for email, pages := range addresses {
		v := s.browse(browsertest.Options{})
		if email != "" {
			v.SetCookie(sessionCookie, s.as(s.user(email)).cookie("gamedex"))
		}
		for _, address := range pages {
			v.Go(address)
			var marked bool
			v.Eval("typeof window.__x !== 'undefined'", &marked)
			if marked {
				t.Errorf("%.200s ran", address)
			}
		}
	}
}

// TestSuggestionsDoNotRunInABrowser types, so that the script of the search box
// puts titles of the hostile catalog into the page.
func TestSuggestionsDoNotRunInABrowser(t *testing.T) {
	t.Parallel()
	s := hostileWorld(t)
	v := s.browse(browsertest.Options{})
	v.SetCookie(sessionCookie, s.as(s.ann).cookie("gamedex"))
	v.Go("/en/browse")
	v.Fill("Title, ID or store link", "window")
	v.Text("[role=option]") // waits for it
	var marked bool
	v.Eval("typeof window.__x !== 'undefined'", &marked)
	if inside := v.Count("[role=option] span *"); marked || inside > 0 {
		t.Errorf("a suggestion ran: %v; there are %d elements in their titles", marked, inside)
	}
}

package api_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"gamedex/internal/api"
	"gamedex/internal/index"
	"gamedex/internal/quota"
)

// cursorOf returns meta.cursor of an answer.
func cursorOf(r reply) string {
	r.t.Helper()
	cursor, _ := r.at("meta.cursor").(string)
	if cursor == "" {
		r.t.Fatalf("no cursor: %.500s", r.body)
	}
	return cursor
}

func TestChangedSince(t *testing.T) {
	w := newWorld(t, unlimited)
	path := "/catalog/prices?ids=" + forge + ",star-forge,nope"
	cursor := cursorOf(w.get(path).want(200))
	since := "&changedSince=" + cursor
	body, err := json.Marshal(map[string]string{"ids": forge + ",star-forge,nope", "changedSince": cursor})
	must(t, err)
	for _, r := range []reply{w.get(path + since), w.post(string(body)), w.get(path + since + "&changedSince=ignored")} {
		r.want(200).is("data", `{"items":[],"notFound":["nope"]}`).is("regions", `[]`).
			is("counts", `{"notFound":1,"requested":3,"resolved":2,"unchanged":2}`)
	}
	for name, change := range map[string]func(*sample, *index.Published){
		"another database":  func(_ *sample, m *index.Published) { m.Source = "another" },
		"all games changed": func(s *sample, m *index.Published) { s.in.Seq, m.Seq = 8, 8 },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, unlimited)
			s, m := sampleCatalog(), sampleManifest(t)
			change(s, &m)
			w.live.Swap(index.NewView(s.open(t), m))
			whole := w.get(path).want(200)
			r := w.get(path+since).want(200).is("counts.unchanged", `0`)
			if a, b := marshal(t, whole.at("data")), marshal(t, r.at("data")); a != b {
				t.Errorf("data %s, want %s", b, a)
			}
		})
	}
}

func marshal(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	must(t, err)
	return string(raw)
}

// TestChangedSinceRefuses covers texts that are no cursor.
func TestChangedSinceRefuses(t *testing.T) {
	w := newWorld(t, unlimited)
	cursor := cursorOf(w.get("/catalog/prices?ids=" + forge).want(200))
	for _, text := range []string{"x", cursor[1:], cursor + "A", "B" + cursor[1:], cursor[:8] + "A" + cursor[9:]} {
		if text == cursor {
			continue
		}
		want := marshal(t, map[string]string{"field": "changedSince", "value": text, "constraint": "cursor"})
		w.get("/catalog/prices?ids="+forge+"&changedSince="+url.QueryEscape(text)).code(400, "INVALID_PARAMS").is("error.details", want)
		w.post(`{"ids":["`+forge+`"],"changedSince":`+marshal(t, text)+`}`).code(400, "INVALID_PARAMS").is("error.details", want)
	}
	w.post(`{"ids":["`+forge+`"],"changedSince":["x"]}`).code(400, "INVALID_PARAMS").is("error.details.constraint", `"string"`)
	w.get("/catalog/prices?ids="+forge+"&changedSince=").want(200).is("counts.unchanged", `null`)
}

// TestEndsAreChanges moves the clock over the end of a discount, and back, as if another
// node answered.
func TestEndsAreChanges(t *testing.T) {
	w := newWorld(t, unlimited)
	path := "/catalog/prices?ids=" + forge + "&regions=UA"
	before := w.get(path).want(200)
	end, err := time.Parse(time.RFC3339, before.at("data.items.0.regions.UA.discountEndAt").(string))
	must(t, err)
	w.now.Store(end.UnixMilli() - 1)
	w.get(path+"&changedSince="+cursorOf(before)).is("counts.unchanged", `1`)
	w.now.Store(end.UnixMilli())
	after := w.get(path+"&changedSince="+cursorOf(before)).is("counts.unchanged", `0`).is("data.items.0.regions.UA.discountEndAt", `null`)
	w.get(path+"&changedSince="+cursorOf(after)).is("counts.unchanged", `1`)
	w.now.Store(end.UnixMilli() - 1)
	w.get(path+"&changedSince="+cursorOf(after)).is("counts.unchanged", `0`)
}

// TestTagsOfChanges checks that a tag belongs to the items that are shown.
func TestTagsOfChanges(t *testing.T) {
	w := newWorld(t, unlimited)
	path := "/catalog/prices?ids=" + forge
	whole := w.get(path).want(200)
	none := w.get(path + "&changedSince=" + cursorOf(whole)).want(200)
	m := sampleManifest(t)
	m.Source = "another"
	w.live.Swap(index.NewView(sampleCatalog().open(t), m))
	again := w.get(path + "&changedSince=" + cursorOf(whole)).want(200)
	tags := map[string]bool{}
	for _, r := range []reply{whole, none, again} {
		tags[r.header.Get("ETag")] = true
	}
	if len(tags) != 3 {
		t.Errorf("tags %v, want three", tags)
	}
	w.get(path+"&changedSince="+cursorOf(whole), header("If-None-Match", again.header.Get("ETag"))).want(304)
}

// TestNodeBehindACursor asks a node whose snapshot is older than the cursor: it waits for
// the newer one, but not long.
func TestNodeBehindACursor(t *testing.T) {
	old, m := sampleView(t), sampleManifest(t)
	m.Seq++
	next := index.NewView(old.Snapshot, m)
	synctest.Test(t, func(t *testing.T) {
		live := new(index.Live)
		handler := api.New(api.Config{Live: live, Clock: time.Now, PersonLimits: quota.Limits{Minute: 30, Day: 30}}).Person("someone")
		ask := func(cursor string) reply {
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/api/v1/catalog/prices?ids="+forge+"&changedSince="+cursor, http.NoBody))
			return reply{t: t, status: w.Code, header: w.Header(), body: w.Body.Bytes()}
		}
		live.Swap(next)
		cursor := cursorOf(ask("").want(200))
		live.Swap(old)
		began := time.Now()
		if got := ask(cursor).code(503, "SERVICE_UNAVAILABLE").header.Get("Retry-After"); got != "1" || time.Since(began) != 2*time.Second {
			t.Errorf("Retry-After %q after %s, want 1 after 2s", got, time.Since(began))
		}
		began = time.Now()
		time.AfterFunc(time.Second, func() { live.Swap(next) })
		ask(cursor).want(200).is("counts.unchanged", `1`)
		if waited := time.Since(began); waited != time.Second {
			t.Errorf("the answer came after %s, want 1s", waited)
		}
	})
}

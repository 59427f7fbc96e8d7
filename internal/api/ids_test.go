package api_test

import (
	"net/url"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"gamedex/internal/catalog"
)

func TestABodyWithoutIDs(t *testing.T) {
	w := newWorld(t, unlimited)
	for _, body := range []string{"", " \n", "null", " null\n", "\ufeff", "{}", `{"ids":null}`, `{"ids":[]}`, `{"ids":""}`, `{"regions":"UA"}`} {
		w.post(body).code(400, "ids_required")
	}
	w.post(`nul`).code(400, "INVALID_PARAMS")
	w.post(`null null`).code(400, "INVALID_PARAMS")
}

// TestNotFoundIsAsSent checks that a client finds the texts that it sent in
// notFound.
func TestNotFoundIsAsSent(t *testing.T) {
	w := newWorld(t, unlimited)
	for _, c := range []struct{ body, notFound, counts string }{
		{`{"ids":["nope","NOPE","Nope","nope"]}`, `["nope","NOPE","Nope"]`, `{"notFound":1,"requested":1,"resolved":0}`},
		{`{"ids":[" a ","a","b c"," d","A"]}`, `[" a ","a","b","c"," d","A"]`, `{"notFound":4,"requested":4,"resolved":0}`},
		{`{"ids":["a;"," ;"]}`, `["a;"]`, `{"notFound":1,"requested":1,"resolved":0}`},
		{`{"ids":" a ;b, A"}`, `["a","b","A"]`, `{"notFound":2,"requested":2,"resolved":0}`},
		{`{"ids":["x","` + forge + `","X","` + strings.ToLower(forge) + `"]}`, `["x","X"]`, `{"notFound":1,"requested":2,"resolved":1}`},
	} {
		w.post(c.body).want(200).is("data.notFound", c.notFound).is("counts", c.counts)
	}
	w.get("/catalog/prices?ids=%20nope%20,NOPE&ids=nope").want(200).is("data.notFound", `["nope","NOPE"]`)
	w.post(`{"ids":[" dead0000","DEAD0000"]}`).want(200).is("data.moved",
		`{" dead0000":["`+forge+`","`+deluxe+`"],"DEAD0000":["`+forge+`","`+deluxe+`"]}`)
}

// TestRequestedIDs checks that a client can tell which of its ids an item
// answers.
func TestRequestedIDs(t *testing.T) {
	w := newWorld(t, unlimited)
	const first, second = "data.items.0.requestedIds", "data.items.1.requestedIds"
	w.post(`{"ids":["`+forge+`","star-forge"]}`).want(200).is(first, "null").is(second, "null")
	w.post(`{"ids":["star-forge-old","`+strings.ToLower(forge)+`","x"]}`).want(200).
		is("data.items.0.id", `"star-forge"`).is(first, `["star-forge-old"]`).is(second, `["`+strings.ToLower(forge)+`"]`)
	w.post(`{"ids":["star-forge","x"," Star-Forge","star-forge-old","star-forge"]}`).want(200).
		is(first, `["star-forge"," Star-Forge","star-forge-old"]`)
	w.get("/catalog/prices?ids=star-forge-old&include=meta").want(200).is(first, `["star-forge-old"]`)
}

const formerSlug = "star-forge-2019" // a slug that is no longer served

// TestSuccessorsCanBeAskedFor checks that an answer names only cards that the
// same endpoint, or the same platform, gives.
func TestSuccessorsCanBeAskedFor(t *testing.T) {
	s := sampleCatalog()
	s.in.Moved[formerSlug] = []string{"star-forge"}
	s.in.Moved["BOTH0000"] = []string{deluxe, "fortress"}
	w := worldOf(t, s)
	const at = "error.details.successors"
	for _, c := range []struct{ path, want string }{
		{"/catalog/games/" + former, `["` + forge + `","` + deluxe + `"]`},
		{"/catalog/games/" + formerSlug, "null"},
		{"/catalog/games/BOTH0000", `["` + deluxe + `"]`},
		{"/catalog/pcstore/games/" + former, "null"},
		{"/catalog/pcstore/games/" + formerSlug, `["star-forge"]`},
		{"/catalog/pcstore/games/BOTH0000", `["fortress"]`},
	} {
		w.get(c.path).code(404, "GAME_NOT_FOUND").is(at, c.want)
	}
	const ids = "/catalog/prices?ids=DEAD0000,star-forge-2019,BOTH0000"
	w.get(ids).want(200).is("data.moved",
		`{"BOTH0000":["`+deluxe+`","fortress"],"DEAD0000":["`+forge+`","`+deluxe+`"],"star-forge-2019":["star-forge"]}`)
	w.get(ids+"&platform=consolestore").want(200).is("data.moved", `{"BOTH0000":["`+deluxe+`"],"DEAD0000":["`+forge+`","`+deluxe+`"]}`)
	w.get(ids+"&platform=pcstore").want(200).is("data.moved", `{"BOTH0000":["fortress"],"star-forge-2019":["star-forge"]}`)
	w.get("/catalog/prices?ids="+former+"&platform=pcstore").want(200).is("data.moved", "null")
}

// TestIDsOfTheOtherStore checks that the message about an id of the other store says where the card is.
func TestIDsOfTheOtherStore(t *testing.T) {
	w := newWorld(t, unlimited)
	const pc, console = "the PC store has this id: GET /api/v1/catalog/pcstore/games/", "the console store has this id: GET /api/v1/catalog/games/"
	for path, want := range map[string]string{
		"/catalog/games/star-forge":                        pc + "star-forge",
		"/catalog/games/STAR-FORGE-OLD":                    pc + "star-forge",
		"/catalog/pcstore/games/" + strings.ToLower(forge): console + forge,
		"/catalog/pcstore/games/" + former:                 "no such game in the active regions",
		"/catalog/games/nope":                              "no such game in the active regions",
	} {
		w.get(path).code(404, "GAME_NOT_FOUND").is("error.message", `"`+want+`"`)
	}
}

// TestSlugsOfAllScripts checks that a slug of any script finds its card in every form, and that
// links to the card lead there.
func TestSlugsOfAllScripts(t *testing.T) {
	s := newSample()
	slugs := []string{"baldurs_gate_dark-8a2e77", "rally-citroën", "кузня_2.0", "星の鍛冶", "ведьмак"}
	for _, slug := range slugs {
		o := catalog.Offer{ID: "o-" + slug, Title: "Rally", Type: catalog.Base, Rows: s.rows(catalog.PCStore, "o-"+slug, catalog.Facts{}, offer{"UA", number("UAH", 1)})}
		s.card(catalog.Card{ID: slug, Platform: catalog.PCStore, Type: catalog.Game, Title: "Rally", Rows: o.Rows, Offers: []catalog.Offer{o}})
	}
	w := worldOf(t, s)
	for _, slug := range slugs {
		upper := strings.ToUpper(norm.NFD.String(slug))
		for _, sent := range []string{slug, upper, slug + "/home", upper + "/home"} {
			w.get("/catalog/pcstore/games/"+url.PathEscape(sent)).want(200).is("data.slug", `"`+slug+`"`)
		}
		w.get("/catalog/prices?include=url&ids="+url.QueryEscape(upper+"/home;"+slug)).want(200).
			is("counts.requested", "1").is("counts.resolved", "1").is("data.items.0.id", `"`+slug+`"`).
			is("data.items.0.links.card", `"/api/v1/catalog/pcstore/games/`+url.PathEscape(slug)+`"`).
			is("data.items.0.requestedIds", `["`+upper+`/home","`+slug+`"]`)
		w.get("/catalog/search?q="+url.QueryEscape(upper)).want(200).is("data.results.0.id", `"`+slug+`"`).is("data.total", "1")
		w.get("/catalog/history?ids="+url.QueryEscape(slug)).want(200).is("data.items.0.id", `"`+slug+`"`)
	}
	w.get("/catalog/pcstore/games/rally-citroen").code(404, "GAME_NOT_FOUND")
}

package api_test

import "testing"

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

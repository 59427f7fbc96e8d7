package params

import (
	"cmp"
	"fmt"
	"net/http"

	"gamedex/internal/api/selection"
)

// Games reads a request for a list of games. Its memory is reused.
type Games struct {
	Body  *Object
	query Query
	ids   IDList
}

// NewGames returns an empty request, whose body can have some members besides those that Read
// reads.
func NewGames(others ...string) Games {
	return Games{Body: NewObject(append(others, "ids", "platform", "regions")...)}
}

// KeepLists lets lists have the lists of ids in bodies. Call it before Source.
func (g *Games) KeepLists(lists *selection.Lists) { g.Body.lists = lists }

// Reset empties the request.
func (g *Games) Reset() {
	g.Body.Reset()
	g.query.Reset()
	g.ids.Reset()
}

// Source returns where the parameters come from: the body on POST, where the query
// string is ignored, else the query string.
func (g *Games) Source(r *http.Request, body []byte) (Reader, *Fault) {
	if r.Method == http.MethodPost {
		return g.Body, g.Body.Parse(body)
	}
	g.query.Parse(r.URL.RawQuery)
	return &g.query, nil
}

// TooManyError says that a request is for more games than it may be.
type TooManyError struct {
	Text            string
	Limit, Received int
}

// Error implements error. Clients see the text.
func (e *TooManyError) Error() string { return e.Text }

// Read reads the games and regions. It returns a [*Fault], which is Required only without ids, or a
// [*TooManyError] for more ids than limit.
func (g *Games) Read(from Reader, limit int) (selection.Params, error) {
	ids := from.List("ids", Array)
	if ids.Fault != nil {
		return selection.Params{}, ids.Fault
	}
	games := selection.Params{List: ids.Known}
	if ids.Known != nil {
		games.IDs, games.Spellings = ids.Known.IDs, ids.Known.Spellings
	} else {
		for _, text := range ids.Texts {
			g.ids.Add(text, ids.Array)
		}
		games.IDs, games.Spellings = g.ids.IDs, g.ids.Spellings
	}
	switch n := len(games.IDs); {
	case n == 0:
		return selection.Params{}, ids.Invalid(Required)
	case n > limit:
		return selection.Params{}, &TooManyError{fmt.Sprintf("%d ids in one request; at most %d are allowed", n, limit), limit, n}
	}
	first, firstFault := from.List("platform", String).First()
	var platformFault, regionsFault *Fault
	games.Platform, platformFault = ParsePlatform("platform", first, selection.AutoPlatform)
	games.Regions, regionsFault = ParseRegions(from.List("regions", String))
	if fault := cmp.Or(firstFault, platformFault, regionsFault); fault != nil {
		return selection.Params{}, fault
	}
	if games.List == nil && ids.Array {
		games.List = g.Body.keepList("ids", games.IDs, games.Spellings)
	}
	return games, nil
}

package api

import (
	"cmp"
	"fmt"
	"net/http"

	"gamedex/internal/api/params"
	"gamedex/internal/api/selection"
)

// gamesRequest reads the parameters of a request for a list of games. Its memory is
// reused.
type gamesRequest struct {
	body  *params.Object
	query params.Query
	ids   params.IDList
}

// newGamesRequest returns a request with some parameters besides those that games reads.
func newGamesRequest(others ...string) gamesRequest {
	return gamesRequest{body: params.NewObject(append(others, "ids", "platform", "regions")...)}
}

func (g *gamesRequest) reset() {
	g.body.Reset()
	g.query.Reset()
	g.ids.Reset()
}

// takeBody reads the body of a POST, in memory that release gives back. It comes before
// anything is taken from a pool: a client that sends slowly holds only that.
func (rq *request) takeBody() (body []byte, release func(), err error) {
	if rq.r.Method != http.MethodPost {
		return nil, func() {}, nil
	}
	release, err = rq.holder().Reserve(rq.r.Context(), bodyMemory(rq.r))
	if err != nil {
		return nil, nil, noMemory(err)
	}
	if body, err = readBody(rq.r); err != nil {
		release()
		return nil, nil, err
	}
	return body, release, nil
}

// source returns where the parameters come from: the body on POST, where the query
// string is ignored, else the query string.
func (g *gamesRequest) source(r *http.Request, body []byte) (params.Reader, *params.Fault) {
	if r.Method == http.MethodPost {
		return g.body, g.body.Parse(body)
	}
	g.query.Parse(r.URL.RawQuery)
	return &g.query, nil
}

// games reads the games and regions. codes has the error codes for a list of ids that is
// empty or too long.
func (g *gamesRequest) games(from params.Reader, limit int, codes *family) (selection.Params, error) {
	ids := from.List("ids", params.Array)
	if ids.Fault != nil {
		return selection.Params{}, ids.Fault
	}
	for _, text := range ids.Texts {
		g.ids.Add(text, ids.Array)
	}
	switch n := len(g.ids.IDs); {
	case n == 0 && codes.idsRequired == nil:
		return selection.Params{}, ids.Invalid(params.Required)
	case n == 0:
		return selection.Params{}, &problem{code: codes.idsRequired}
	case n > limit:
		return selection.Params{}, tooMany(codes.tooManyIDs, fmt.Sprintf("%d ids in one request; at most %d are allowed", n, limit), limit, n)
	}
	first, firstFault := from.List("platform", params.String).First()
	platform, platformFault := params.ParsePlatform("platform", first, selection.AutoPlatform)
	regions, regionsFault := params.ParseRegions(from.List("regions", params.String))
	if fault := cmp.Or(firstFault, platformFault, regionsFault); fault != nil {
		return selection.Params{}, fault
	}
	return selection.Params{IDs: g.ids.IDs, Spellings: g.ids.Spellings, Platform: platform, Regions: regions}, nil
}

package api

import (
	"net/http"

	"gamedex/internal/catalog"
	"gamedex/internal/index"
)

// The limits of ids in one bulk request.
const (
	maxIDs         = 1000
	maxEditionsIDs = 200 // with include=editions
)

const autoPlatform = "auto"

// bulkParams are the parameters of bulk prices, but the ids.
type bulkParams struct {
	platform catalog.Platform // 0: auto
	regions  regionList
	include  includeList
}

// prices answers GET and POST /catalog/prices. The body comes before anything
// is taken from the pool: who sends it slowly holds nothing else.
func (rq *request) prices() error {
	body, err := rq.bulkBody()
	if err != nil {
		return err
	}
	p := rq.api.pricing.Get().(*pricing)
	defer func() {
		p.reset()
		rq.api.pricing.Put(p)
	}()
	from, err := p.source(rq.r, body)
	if err != nil {
		return err
	}
	if err := p.parse(from); err != nil {
		return err
	}
	v, err := rq.view()
	if err != nil {
		return err
	}
	p.resolve(v, rq.api.framesOf(v.Snapshot), rq.now)
	if rq.tagged() && rq.unchanged(p.tag(rq)) {
		return nil
	}
	return rq.answer(http.StatusOK, func(a *answer) { p.encode(a) })
}

// tagged says whether the answer has an entity tag: a POST's has none, and
// making one would cost it.
func (rq *request) tagged() bool { return rq.r.Method != http.MethodPost }

// bulkBody is the body of a POST.
func (rq *request) bulkBody() (string, error) {
	if rq.r.Method != http.MethodPost {
		return "", nil
	}
	return readBody(rq.r)
}

// source gives the parameters as they were sent: on POST the query string is
// not looked at.
func (p *pricing) source(r *http.Request, body string) (source, error) {
	if r.Method != http.MethodPost {
		return queryList(splitQuery(r.URL.RawQuery)), nil
	}
	return p.sent, p.sent.parse(body)
}

// parse reads the parameters and reports the first fault in the order of the
// specification's table. How many ids are too many depends on include, so
// that is read first.
func (p *pricing) parse(from source) error {
	include, includeFault := parseInclude(from.list("include", constraintString))
	if fault := p.parseIDs(from.list("ids", constraintArray), include.has(blockEditions)); fault != nil {
		return fault
	}
	platform, fault := parsePlatformOf(from.list("platform", constraintString))
	if fault != nil {
		return fault
	}
	regions, fault := parseRegions(from.list("regions", constraintString))
	if fault != nil {
		return fault
	}
	if includeFault != nil {
		return includeFault
	}
	p.params = bulkParams{platform, regions, include}
	if fault := from.rest(); fault != nil {
		return fault
	}
	return nil
}

func (p *pricing) parseIDs(g given, editions bool) *problem {
	if g.fault != nil {
		return g.fault
	}
	for _, text := range g.texts {
		p.wanted.addAll(text)
	}
	limit := maxIDs
	if editions {
		limit = maxEditionsIDs
	}
	switch n := len(p.wanted.ids); {
	case n == 0:
		return &problem{code: codeIDsRequired}
	case n > limit:
		return &problem{code: codeTooManyIDs, extra: tooMany{limit, n}}
	}
	return nil
}

// parsePlatformOf reads the platform: the first value counts, and an array is
// no platform.
func parsePlatformOf(g given) (catalog.Platform, *problem) {
	if g.fault != nil {
		return 0, g.fault
	}
	if g.array {
		return 0, g.invalid(constraintString)
	}
	if len(g.texts) == 0 {
		return 0, nil
	}
	platform, ok := parsePlatform(g.texts[0], autoPlatform)
	if !ok {
		return 0, invalid(g.field, textValue(g.texts[0]), platformConstraint(autoPlatform))
	}
	return platform, nil
}

// appendRegionNames appends the regions as filters shows them: those asked for,
// the active ones if none were.
func (p *pricing) appendRegionNames(dst []byte) []byte {
	if p.params.regions.all {
		return append(dst, `["all"]`...)
	}
	dst = append(dst, '[')
	for i, r := range p.params.regions.codes {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendString(dst, r.String())
	}
	return append(dst, ']')
}

// platformName is the platform as filters shows it.
func (p *pricing) platformName() string {
	if p.params.platform == 0 {
		return autoPlatform
	}
	return p.params.platform.String()
}

// appendCardPath appends where a card is found, as a JSON string.
func appendCardPath(dst []byte, c index.Card) []byte {
	path := `"` + prefix + "/catalog/games/"
	if c.Platform() == catalog.PCStore {
		path = `"` + prefix + "/catalog/pcstore/games/"
	}
	dst = append(dst, path...)
	start := len(dst) // the id, without its own first quote
	dst = appendText(dst, c.ID())
	return append(dst[:start], dst[start+1:]...)
}

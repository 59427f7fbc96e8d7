package api

import (
	"strings"

	"gamedex/internal/catalog"
	"gamedex/internal/index"
)

// platforms answers GET /catalog/platforms.
func (rq *request) platforms() error {
	if err := rq.params().err(); err != nil {
		return err
	}
	v, err := rq.view()
	if err != nil {
		return err
	}
	list := rq.appendPlatforms(nil, v)
	if rq.unchanged(rq.newTag(nil).text(string(list))) {
		return nil
	}
	return rq.success(func(dst []byte) []byte { return append(dst, list...) })
}

func (rq *request) appendPlatforms(dst []byte, v *index.View) []byte {
	dst = append(dst, `{"platforms":[`...)
	for i, p := range catalog.Platforms() {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = rq.appendPlatform(dst, v, p)
	}
	return append(dst, `]}`...)
}

func (rq *request) appendPlatform(dst []byte, v *index.View, p catalog.Platform) []byte {
	name, related := rq.api.cfg.ConsoleName, true
	if p == catalog.PCStore {
		name, related = rq.api.cfg.PCName, false
	}
	dst = append(dst, `{"id":`...)
	dst = appendString(dst, p.String())
	dst = append(dst, `,"name":`...)
	dst = appendString(dst, name)
	dst = append(dst, `,"status":`...)
	dst = appendString(dst, platformStatus(v.State(p)))
	dst = append(dst, `,"regions":[`...)
	for i, r := range v.Regions(p) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendString(dst, strings.ToLower(r.String()))
	}
	dst = append(dst, `],"features":{"search":true,"details":true,"prices":true,"related":`...)
	dst = appendBool(dst, related)
	return append(dst, `}}`...)
}

// platformStatus is a platform's status word. One of which no state is known
// is fed by import alone, and that works normally.
func platformStatus(s index.PlatformState) string {
	if s.Status == "" {
		return catalog.Operational.String()
	}
	return s.Status
}

const retryUpstream = 60 // seconds

// upstreamProblem says whether an unknown id may be unknown only because the
// platform was never read: collection is on, and it either brought nothing or
// is not through once while the store is out.
func upstreamProblem(v *index.View, p catalog.Platform) error {
	s := v.State(p)
	if !s.Collecting || len(v.Regions(p)) > 0 && (s.FirstSweepDone || s.Status != catalog.Outage.String()) {
		return nil
	}
	return &problem{
		code:       codeUpstream,
		details:    upstreamDetails{p, retryUpstream},
		retryAfter: retryUpstream,
	}
}

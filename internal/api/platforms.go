package api

import (
	"slices"
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
	if rq.unchanged(rq.newTag(rq.tag[:0]).text(string(list))) {
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
	dst = appendFreshness(append(dst, `],"freshness":`...), v, p)
	dst = append(dst, `,"features":{"search":true,"details":true,"prices":true,"related":`...)
	dst = appendBool(dst, related)
	return append(dst, `}}`...)
}

// appendFreshness appends how old what a platform shows is, by region: the
// regions that are named beside it, without those of which nothing is known.
// Times, not ages: they move only when a store was read.
func appendFreshness(dst []byte, v *index.View, p catalog.Platform) []byte {
	known := v.State(p).Freshness
	dst = append(dst, '{')
	first := true
	for _, r := range v.Regions(p) {
		i := slices.IndexFunc(known, func(f catalog.Freshness) bool { return f.Region == r })
		if i < 0 {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = appendString(dst, strings.ToLower(r.String()))
		dst = appendAge(append(dst, ':'), known[i])
	}
	return append(dst, '}')
}

func appendAge(dst []byte, f catalog.Freshness) []byte {
	dst = appendMomentOrNull(append(dst, `{"oldestSeenAt":`...), int64(f.OldestSeen))
	dst = appendMomentOrNull(append(dst, `,"medianSeenAt":`...), int64(f.MedianSeen))
	dst = appendMomentOrNull(append(dst, `,"lastSweepAt":`...), int64(f.LastSweep))
	dst = appendInt(append(dst, `,"doubtfulPrices":`...), int64(f.Doubtful))
	return append(dst, '}')
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

package pcstore

import (
	"errors"
	"fmt"
	"strings"

	"gamedex/internal/upstream"
)

// broken is an answer that is not what was asked for.
func (s *Store) broken(err error) error {
	return upstream.NewError(upstream.Broken, s.cfg.Profile.GraphQL, err)
}

// noData judges an answer that lacks what was asked for.
func (r *reading) noData(operation string, failures []upstream.GraphError) error {
	reason := errors.New("no data and no errors")
	for i, f := range failures {
		if invalidCountry(f) {
			return upstream.NewError(upstream.Refused, r.cfg.Profile.GraphQL,
				fmt.Errorf("%s: the store does not know the country %s: take it out of the profile's regions", operation, r.region.Countries[0]))
		}
		if i == 0 {
			reason = fmt.Errorf("no data: %.200s", f.Message)
		}
	}
	return r.broken(fmt.Errorf("%s: %w", operation, reason))
}

// interrupted reports whether errors beside data mean that something is missing. An
// offer without a page of its own, or a namespace without one, is reported
// like an error and is none.
func interrupted(failures []upstream.GraphError) bool {
	for _, f := range failures {
		if !notFound(f) || !onMappings(f.Path) {
			return true
		}
	}
	return false
}

func notFound(f upstream.GraphError) bool { return says(f, "1004", ".not_found") }

func invalidCountry(f upstream.GraphError) bool { return says(f, "5222", ".invalid_country_code") }

// says knows an error by its number, or by the end of its name.
func says(f upstream.GraphError, number, name string) bool {
	return f.Code == number || strings.HasSuffix(f.Code, name) || strings.HasSuffix(f.Reason, name)
}

func onMappings(path []any) bool {
	if len(path) == 0 {
		return false
	}
	last := path[len(path)-1]
	return last == "mappings" || last == "offerMappings"
}

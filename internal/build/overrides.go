package build

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"gamedex/internal/catalog/override"
)

// overrideFaults are the faults of the operator's overrides, as texts for operators.
type overrideFaults struct {
	mu                 sync.Mutex
	invalid, unmatched string // "": none
}

// replace stores a text in one of the fields and reports whether it is a new fault.
func (f *overrideFaults) replace(field *string, text string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	changed := *field != text
	*field = text
	return changed && text != ""
}

func (f *overrideFaults) list() (texts []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, text := range []string{f.invalid, f.unmatched} {
		if text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

// OverrideFaults returns what is wrong with the overrides: that the file is not valid, and
// which of the valid ones match no listing. It knows only of a builder that builds; of
// several, only one does.
func (b *Builder) OverrideFaults() []string { return b.faults.list() }

// AboutOverrides returns a text for operators: which overrides match no listing, or "" if
// all of them do.
func AboutOverrides(ctx context.Context, from Source, overrides override.Set) (string, error) {
	if overrides.Len() == 0 {
		return "", nil
	}
	t := newListingTable()
	if err := from.Read(ctx, t.update); err != nil {
		return "", fmt.Errorf("read listings: %w", err)
	}
	return aboutUnmatched(overrides.Unmatched(t.entries)), nil
}

// mostUnmatched is how many products of overrides are named.
const mostUnmatched = 10

func aboutUnmatched(products []string) string {
	switch n := len(products); {
	case n == 0:
		return ""
	case n == 1:
		return fmt.Sprintf("an override matches no listing, check its platform and product: %s", products[0])
	case n > mostUnmatched:
		return fmt.Sprintf("%d overrides match no listing, check platform and product: %s, …", n, strings.Join(products[:mostUnmatched], ", "))
	default:
		return fmt.Sprintf("%d overrides match no listing, check platform and product: %s", n, strings.Join(products, ", "))
	}
}

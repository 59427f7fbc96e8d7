package builder

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"gamedex/internal/catalog/override"
)

// warnings are texts for operators; "" is none.
type warnings struct {
	mu                 sync.Mutex
	invalid, unmatched string // overrides
	newer              string // builders of a newer version
}

// replace stores a text in one of the fields and reports whether it is a new warning.
func (w *warnings) replace(field *string, text string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	changed := *field != text
	*field = text
	return changed && text != ""
}

func (w *warnings) list() (texts []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, text := range []string{w.newer, w.invalid, w.unmatched} {
		if text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

// Warnings returns what an operator should know: that a newer version builds instead, what
// is wrong with the overrides, and which of the valid ones match no listing. It knows of
// overrides only while this builder builds; of several, only one does.
func (b *Builder) Warnings() []string { return b.warnings.list() }

// AboutOverrides returns a text for operators: which overrides match no listing, or "" if
// all of them do.
func AboutOverrides(ctx context.Context, from Listings, overrides override.Set) (string, error) {
	if overrides.Len() == 0 {
		return "", nil
	}
	t := newListingTable()
	if err := from.Read(ctx, t.update); err != nil {
		return "", fmt.Errorf("read listings: %w", err)
	}
	return aboutUnmatched(overrides.Unmatched(t.entries)), nil
}

// maxUnmatched is how many products of overrides are named.
const maxUnmatched = 10

func aboutUnmatched(products []string) string {
	switch n := len(products); {
	case n == 0:
		return ""
	case n == 1:
		return fmt.Sprintf("an override matches no listing, check its platform and product: %s", products[0])
	case n > maxUnmatched:
		return fmt.Sprintf("%d overrides match no listing, check platform and product: %s, …", n, strings.Join(products[:maxUnmatched], ", "))
	default:
		return fmt.Sprintf("%d overrides match no listing, check platform and product: %s", n, strings.Join(products, ", "))
	}
}

package builder

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"gamedex/internal/catalog"
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

// AboutRegions returns a text for operators: which regions have games that are not served,
// and the flag that serves them. Of the listed regions, unserved are those of games that have
// no listing in an active region. The text is "" if all games are served in the regions that
// the operator expects.
func AboutRegions(chosen, listed, unserved []catalog.Region) string {
	join := catalog.JoinRegions
	active := catalog.ActiveRegions(chosen, listed)
	inactive := catalog.InactiveRegions(active, unserved)
	switch {
	case len(inactive) > 0 && len(catalog.InactiveRegions(active, listed)) == len(listed):
		return fmt.Sprintf("nothing is served: the listings are in %s, the active regions are %s; to serve them, start serve with --active-regions %s",
			join(listed, ", "), join(active, ", "), join(listed, ","))
	case len(inactive) > 0:
		return fmt.Sprintf("games that are sold only in %s are not served, because the active regions are %s; to serve them, start serve with --active-regions %s",
			join(inactive, ", "), join(active, ", "), join(slices.Concat(active, inactive), ","))
	case len(listed) > 0 && len(chosen) == 0 && slices.Equal(active, listed) && !slices.Contains(catalog.DefaultRegions(), listed[0]):
		return fmt.Sprintf("none of the default regions %s has a listing, so all regions with listings are active: %s; to choose them and their order, start serve with --active-regions",
			join(catalog.DefaultRegions(), ", "), join(active, ", "))
	}
	return ""
}

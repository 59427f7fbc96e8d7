package builder

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/catalog/merge"
	"gamedex/internal/catalog/override"
)

// warnings are texts for operators; "" is none.
type warnings struct {
	mu        sync.Mutex
	invalid   string // overrides
	newer     string // builders of a newer version
	unmatched notice // overrides
	regions   notice // games that are not served: only in the log
	lone      notice // cards that stand alone: only in the log
}

// notice is a text about the listings, which may change with each build; "" is none.
type notice struct {
	text, logged string
	level        slog.Level
	at           time.Time // when it was logged
}

// noticeEvery is how often a notice is logged at most while its text changes.
const noticeEvery = 24 * time.Hour

// note stores the text of a notice. It logs a notice that begins, and one that changes once a day.
func (b *Builder) note(n *notice, level slog.Level, text string) {
	b.warnings.mu.Lock()
	now := b.cfg.Now()
	due := text != "" && (n.logged == "" || level != n.level || text != n.logged && now.Sub(n.at) >= noticeEvery)
	n.text = text
	if due || text == "" {
		n.logged, n.level, n.at = text, level, now
	}
	b.warnings.mu.Unlock()
	if due {
		b.cfg.Log.Log(context.Background(), level, text)
	}
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
	for _, text := range []string{w.newer, w.invalid, w.unmatched.text} {
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

// AboutListings returns texts for operators: which overrides match no listing, and how many
// cards stay alone for lack of names (see aboutLone). A text is "" if there are none.
func AboutListings(ctx context.Context, from Listings, overrides override.Set) (unmatched, lone string, err error) {
	t := newListingTable()
	if err := from.Read(ctx, t.update); err != nil {
		return "", "", fmt.Errorf("read listings: %w", err)
	}
	groups := merge.Merge(t.entries, overrides)
	return aboutUnmatched(overrides.Unmatched(t.entries)), aboutLone(groups, t.entries), nil
}

// aboutLone counts the unnamed cards that are sold in a single region and whose family has a
// card, not sold there, that may be the same product. The text is "" if there are none.
func aboutLone(groups []merge.Group, entries []catalog.Entry) string {
	type kin struct { // cards that may be the same product, but for their region
		family string
		class  catalog.Class
		region catalog.Region // zero: all of them
	}
	kinOf := func(g *merge.Group) kin { return kin{family: g.Family, class: g.Class} }
	cards, inRegion := map[kin]int{}, map[kin]int{}
	for i := range groups {
		if g := &groups[i]; g.Unnamed {
			cards[kinOf(g)] = 0
		}
	}
	for i := range groups {
		g := &groups[i]
		n, known := cards[kinOf(g)]
		if !known || g.Platform != catalog.ConsoleStore || !g.Unnamed && g.Key != "" {
			continue
		}
		cards[kinOf(g)] = n + 1
		for _, r := range g.Entries { // there is one for each region
			inRegion[kin{g.Family, g.Class, entries[r].Region}]++
		}
	}
	lone, example := 0, ""
	for i := range groups {
		g := &groups[i]
		if !g.Unnamed || len(g.Entries) != 1 {
			continue
		}
		if e := &entries[g.Entries[0]]; inRegion[kin{g.Family, g.Class, e.Region}] < cards[kinOf(g)] {
			if lone++; lone == 1 {
				example = fmt.Sprintf("product %s in %s, family %s", e.Product, e.Region, g.Family)
			}
		}
	}
	if lone == 0 {
		return ""
	}
	return fmt.Sprintf(`cards in a single region whose family has cards in other regions: %d (the first: %s); `+
		`their listings have no edition and no invariantName, and their titles differ; `+
		`to join those of one product, give its listings the same invariantName, or overrides with "edition":""`, lone, example)
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

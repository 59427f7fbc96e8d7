package build

import (
	"gamedex/internal/catalog"
	"gamedex/internal/catalog/merge"
)

// news is what has changed in a table since the last publication, prices alone
// or what cards are made of, and what it takes to tell.
type news struct {
	repriced []uint32 // entries; one may come twice
	others   bool     // something else changed too

	// What follows is never forgotten, but for the elections.
	places    map[catalog.Region]bool // of all listings
	contested map[uint32]bool         // products whose listings gave several families
	elections map[election]string     // of this look → the family before it
}

// election is a product as catalog.FamilyOf tells the family of it.
type election struct {
	number   uint32
	platform catalog.Platform
	slug     string
}

func newNews() news {
	return news{places: map[catalog.Region]bool{}, contested: map[uint32]bool{}, elections: map[election]string{}}
}

// forget says that all of it is published.
func (n *news) forget() { n.repriced, n.others = n.repriced[:0], false }

// hear remembers which products may be of several families: only among theirs
// it counts which listing was seen last.
func (t *table) hear(number uint32, family string) {
	switch first := t.families[number]; {
	case family == "" || family == first:
	case first == "":
		t.families[number] = family
	default:
		t.contested[number] = true
	}
}

// note takes down that entry i is about to become e.
func (t *table) note(i, number uint32, e *catalog.Entry) {
	was := &t.entries[i]
	switch {
	case t.others:
	case !merge.OnlyRepriced(was, e), len(t.repriced) > len(t.entries):
		t.others = true // the second: nothing was published for so long that the list must not grow on
	default:
		t.repriced = append(t.repriced, i)
		t.openElection(number, was)
	}
}

// openElection remembers the family of a product before it changes.
func (t *table) openElection(number uint32, e *catalog.Entry) {
	if !t.contested[number] {
		return
	}
	p := election{number: number, platform: e.Platform}
	if e.Platform == catalog.PCStore {
		p.slug = e.Facts.Slug
	}
	if _, open := t.elections[p]; !open {
		t.elections[p] = t.family(p)
	}
}

// closeElections looks whether products are of another family now.
func (t *table) closeElections() {
	for p, before := range t.elections {
		t.others = t.others || t.family(p) != before
	}
	clear(t.elections)
}

func (t *table) family(p election) string {
	var listings []*catalog.Entry
	for region := range t.places {
		if i, known := t.at[keyOf(p.number, p.platform, region)]; known {
			if e := &t.entries[i]; p.platform != catalog.PCStore || e.Facts.Slug == p.slug {
				listings = append(listings, e)
			}
		}
	}
	return merge.FamilyOf(listings)
}

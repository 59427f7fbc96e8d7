package api

import (
	"slices"
	"strings"

	"gamedex/internal/api/bulk"
	"gamedex/internal/catalog"
)

// given is a list parameter of a request for bulk prices: its texts, each of
// which may hold several entries, or what is wrong with it.
type given struct {
	field string
	texts []string
	array bool  // the texts are the elements of a JSON array
	json  value // the whole, if it was sent in a body
	fault *problem
}

// invalid returns the problem of this parameter.
func (g given) invalid(constraint string) *problem {
	sent := g.json
	if sent == "" && len(g.texts) > 0 {
		sent = textValue(strings.Join(g.texts, ","))
	}
	return invalid(g.field, sent, constraint)
}

// source is where bulk parameters come from: the query string or a JSON body.
type source interface {
	// list reads a parameter; wrongType is the constraint that it breaks if it
	// is neither a string nor an array of strings.
	list(field, wrongType string) given
	// rest returns the fault of anything beside the known parameters.
	rest() *problem
}

// idList collects ids, each once whatever its case, in the order in which they
// came, and how they were spelled.
type idList struct {
	ids       []bulk.ID
	spellings []bulk.Spelling
	seen      map[string]int32 // key → number in ids
	others    map[string]bool  // the spellings of an id after its first
}

func (l *idList) reset() {
	if max(cap(l.ids), cap(l.spellings)) > keptIDs {
		*l = idList{}
		return
	}
	clear(l.ids)
	clear(l.spellings)
	clear(l.seen)
	clear(l.others)
	l.ids, l.spellings = l.ids[:0], l.spellings[:0]
}

const consoleIDLen = 8

// separates reports whether r separates the entries of a list.
func separates(r rune) bool { return strings.ContainsRune(",; \n\r\t", r) }

// addText adds every id in text. Ids are separated by commas, semicolons and
// white space; empty ones are ignored. If text is an element of an array and
// holds one id, the client spelled that id so, with what surrounds it.
func (l *idList) addText(text string, element bool) {
	first, n := "", 0
	for id := range strings.FieldsFuncSeq(text, separates) {
		if n++; n == 1 {
			first = id
			continue
		}
		if n == 2 {
			l.add(first, first)
		}
		l.add(id, id)
	}
	switch {
	case n == 1 && element:
		l.add(first, text)
	case n == 1:
		l.add(first, first)
	}
}

// add adds an id and its spelling.
func (l *idList) add(id, spelling string) {
	// Ids of 8 characters can be console ids, which are upper-case; slugs are
	// lower-case.
	change := strings.ToLower
	if len(id) == consoleIDLen {
		change = strings.ToUpper
	}
	key := change(id)
	number, known := l.seen[key]
	switch {
	case !known:
		if l.seen == nil {
			l.seen, l.others = map[string]int32{}, map[string]bool{}
		}
		number = int32(len(l.ids))
		l.seen[key] = number
		l.ids = append(l.ids, bulk.ID{Sent: spelling, Key: key})
	case l.ids[number].Sent == spelling || l.others[spelling]:
		return
	default:
		l.others[spelling] = true
	}
	l.spellings = append(l.spellings, bulk.Spelling{Text: spelling, ID: number})
}

// parseRegions reads codes with the same separators as ids. The words "all" and
// "global" override the countries beside them, which must be valid nevertheless.
// "uk" is GB.
func parseRegions(g given) (bulk.Regions, *problem) {
	var list bulk.Regions
	if g.fault != nil {
		return list, g.fault
	}
	seen := map[catalog.Region]bool{}
	for _, text := range g.texts {
		for sent := range strings.FieldsFuncSeq(text, separates) {
			code := strings.ToUpper(sent)
			region, err := bulk.EuroArea, error(nil)
			switch code {
			case "ALL", "GLOBAL":
				list.All = true
				continue
			case "EU":
			case "UK":
				region = catalog.MustRegion("GB")
			default:
				region, err = catalog.ParseRegion(code)
			}
			if err != nil {
				return list, invalid(g.field, textValue(sent), constraintCountry)
			}
			if !seen[region] { // UA and UKR are the same
				seen[region] = true
				list.Codes = append(list.Codes, region)
			}
		}
	}
	if list.All {
		list.Codes = nil
	}
	return list, nil
}

// parseInclude reads comma-separated block names. It returns the valid ones even
// if there is a fault, because the limit of ids depends on them.
func parseInclude(g given) (list bulk.Include, fault *problem) {
	if g.fault != nil {
		return list, g.fault
	}
	for _, text := range g.texts {
		for name := range strings.SplitSeq(text, ",") {
			name = strings.ToLower(strings.TrimSpace(name))
			if name == "" {
				continue
			}
			i := slices.Index(bulk.BlockNames[:], name)
			switch {
			case i < 0 && fault == nil:
				fault = g.invalid("enum:" + strings.Join(bulk.BlockNames[:], ","))
			case i >= 0 && !list.Has(1<<i):
				list.Blocks |= 1 << i
				list.Names = append(list.Names, name)
			}
		}
	}
	return list, fault
}

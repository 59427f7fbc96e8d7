package api

import (
	"hash/maphash"
	"strings"

	"gamedex/internal/catalog"
)

// given is what a request says about one list parameter of bulk prices: its
// texts, each of which may hold several entries, or what is wrong with it.
type given struct {
	field string
	texts []string
	array bool         // the texts are the elements of a JSON array
	value func() value // the whole as it was sent; built only for an error
	fault *problem
}

// invalid is the problem of this parameter.
func (g given) invalid(constraint string) *problem {
	return invalid(g.field, g.value(), constraint)
}

// source is where bulk parameters come from: the query string or a JSON body.
type source interface {
	// list reads a parameter; wrongType is the constraint it breaks if it is
	// neither a string nor an array of strings.
	list(field, wrongType string) given
	// rest reports what is wrong beside the parameters that are known.
	rest() *problem
}

// idSet collects ids, each once whatever its case, in the order in which they
// came. Its memory is used again by later requests.
type idSet struct {
	seed  maphash.Seed // keeps clients from choosing ids that collide
	ids   []wanted
	slots []uint32 // open addressing; position in ids + 1
}

// wanted is one id of a request.
type wanted struct {
	sent string // first spelling
	key  string // as the catalog spells ids
}

// canonical gives an id the catalog's spelling: ids of 8 characters may be
// console ids, which are upper-case; slugs are lower-case.
func canonical(id string) string {
	if len(id) == consoleIDLen {
		return strings.ToUpper(id)
	}
	return strings.ToLower(id)
}

const consoleIDLen = 8

func (s *idSet) reset() {
	clear(s.ids)
	clear(s.slots)
	s.ids = s.ids[:0]
}

// addAll adds every id in text. Ids stand apart by commas, semicolons and
// white space; nothing between two separators is no id.
func (s *idSet) addAll(text string) {
	start := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case ',', ';', ' ', '\n', '\r', '\t':
			if start < i {
				s.add(text[start:i])
			}
			start = i + 1
		}
	}
	if start < len(text) {
		s.add(text[start:])
	}
}

func (s *idSet) add(id string) {
	if 2*len(s.ids) >= len(s.slots) {
		s.grow()
	}
	key := canonical(id)
	slot := s.find(key)
	if s.slots[slot] == 0 {
		s.ids = append(s.ids, wanted{sent: id, key: key})
		s.slots[slot] = uint32(len(s.ids))
	}
}

// find gives the slot that holds key, or the free one where it belongs.
func (s *idSet) find(key string) uint64 {
	mask := uint64(len(s.slots) - 1)
	slot := maphash.String(s.seed, key) & mask
	for s.slots[slot] != 0 && s.ids[s.slots[slot]-1].key != key {
		slot = (slot + 1) & mask
	}
	return slot
}

func (s *idSet) grow() {
	s.slots = make([]uint32, max(256, 2*len(s.slots)))
	for i := range s.ids {
		s.slots[s.find(s.ids[i].key)] = uint32(i + 1)
	}
}

// regionList is the parameter regions: the regions asked for, each once.
type regionList struct {
	all   bool
	codes []catalog.Region // empty if all, or if nothing was asked for
}

// parseRegions reads comma-separated codes. The word "all" beside others wins;
// the others must be countries all the same.
func parseRegions(g given) (regionList, *problem) {
	var list regionList
	if g.fault != nil {
		return list, g.fault
	}
	seen := map[string]bool{}
	for _, text := range g.texts {
		for code := range strings.SplitSeq(text, ",") {
			code = strings.ToUpper(strings.TrimSpace(code))
			if code == "" || seen[code] {
				continue
			}
			seen[code] = true
			if code == "ALL" {
				list.all = true
				continue
			}
			region, err := catalog.ParseRegion(code)
			if err != nil {
				return list, g.invalid(constraintCountry)
			}
			if !seen[region.String()+"!"] { // UA and UKR are one
				seen[region.String()+"!"] = true
				list.codes = append(list.codes, region)
			}
		}
	}
	if list.all {
		list.codes = nil
	}
	return list, nil
}

// block is one of the extra blocks of bulk prices.
type block uint8

const (
	blockImage block = 1 << iota
	blockURL
	blockEditions
	blockMeta
	blockFX
)

const blockConstraint = "enum:image,url,editions,meta,fx"

func parseBlock(s string) (b block, ok bool) {
	switch s {
	case "image":
		return blockImage, true
	case "url":
		return blockURL, true
	case "editions":
		return blockEditions, true
	case "meta":
		return blockMeta, true
	case "fx":
		return blockFX, true
	}
	return 0, false
}

// includeList is the parameter include: its blocks, and their names in the
// order asked.
type includeList struct {
	blocks block
	names  []string
}

func (l includeList) has(b block) bool { return l.blocks&b != 0 }

// parseInclude reads comma-separated block names. What it could read stands in
// the list even if there is a fault: the limit of ids depends on it.
func parseInclude(g given) (list includeList, fault *problem) {
	if g.fault != nil {
		return list, g.fault
	}
	for _, text := range g.texts {
		for name := range strings.SplitSeq(text, ",") {
			name = strings.ToLower(strings.TrimSpace(name))
			if name == "" {
				continue
			}
			b, ok := parseBlock(name)
			if !ok && fault == nil {
				fault = g.invalid(blockConstraint)
			}
			if ok && !list.has(b) {
				list.blocks |= b
				list.names = append(list.names, name)
			}
		}
	}
	return list, fault
}

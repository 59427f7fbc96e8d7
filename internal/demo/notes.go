package demo

import (
	"fmt"
	"strconv"
	"strings"

	"gamedex/internal/catalog"
)

// notes is what the last field of a line says.
type notes struct {
	off, was   int // percent of a running and of a past sale
	plus       int // percent off for subscribers, where only they can buy; 0 = no such price
	text       bool
	trial      bool
	soon       bool
	doubt      bool
	not        []catalog.Region
	popularity int // 0: not said
	alias      string
	kind       kind
}

// parseNotes reads words and name=value pairs.
func parseNotes(text string) (notes, error) {
	var n notes
	for _, word := range strings.Fields(text) {
		name, value, _ := strings.Cut(word, "=")
		if err := n.setNote(name, value); err != nil {
			return n, fmt.Errorf("note %q: %w", word, err)
		}
	}
	return n, nil
}

func (n *notes) setNote(name, value string) (err error) {
	switch name {
	case "off":
		n.off, err = percent(value)
	case "was":
		n.was, err = percent(value)
	case "pop":
		n.popularity, err = percent(value)
	case "plus":
		n.plus = 100
		if value != "" {
			n.plus, err = percent(value)
		}
	case "text":
		n.text = true
	case "trial":
		n.trial = true
	case "soon":
		n.soon = true
	case "doubt":
		n.doubt = true
	case "not":
		n.not, err = parseRegions(value)
	case "alias":
		n.alias = value
	case "bundle", "subscription":
		n.kind = kind(name)
	default:
		return fmt.Errorf("%q is no note", name)
	}
	return err
}

func percent(s string) (int, error) {
	p, err := strconv.Atoi(s)
	if err != nil || p < 1 || p > 100 {
		return 0, fmt.Errorf("%q is not 1 to 100", s)
	}
	return p, nil
}

func parseRegions(list string) ([]catalog.Region, error) {
	var regions []catalog.Region
	for _, code := range strings.Split(list, ",") {
		r, err := catalog.ParseRegion(code)
		if err != nil {
			return nil, err
		}
		regions = append(regions, r)
	}
	return regions, nil
}

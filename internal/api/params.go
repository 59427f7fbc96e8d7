package api

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gamedex/internal/catalog"
)

// The constraints of INVALID_PARAMS that take no argument. The others are
// minLength:n, maxLength:n, min:n, max:n and enum:a,b,c.
const (
	constraintRequired = "required"
	constraintEncoding = "encoding"
	constraintJSON     = "json"
	constraintString   = "string"
	constraintArray    = "array"
	constraintInteger  = "integer"
	constraintBoolean  = "boolean"
	constraintCountry  = "country"
)

// params reads query parameters one after the other, in the order of the
// specification's tables, and remembers the first fault.
type params struct {
	pairs []pair
	fault *problem
}

// err returns the first fault; if there is none, that of a parameter that the
// handler did not read.
func (p *params) err() error {
	if p.fault == nil {
		p.fault = brokenPair(p.pairs)
	}
	if p.fault != nil {
		return p.fault
	}
	return nil
}

// firstValue returns the first value of a parameter. An empty value counts as
// absent. A broken value is a fault even if it is not the first.
func (p *params) firstValue(name string) (text string, ok bool) {
	for i := range p.pairs {
		if p.pairs[i].name != name {
			continue
		}
		if p.pairs[i].broken {
			p.setFault(name, textValue(p.pairs[i].raw), constraintEncoding)
			return "", false
		}
		if !ok {
			text, ok = p.pairs[i].text, true
		}
	}
	return text, ok && text != ""
}

func (p *params) setFault(name string, v value, constraint string) {
	if p.fault == nil {
		p.fault = invalid(name, v, constraint)
	}
}

// readText reads a required text, trimmed and with its white space folded, whose
// length in code points is between least and most.
func (p *params) readText(name string, least, most int) string {
	sent, ok := p.firstValue(name)
	if !ok {
		p.setFault(name, "", constraintRequired)
		return ""
	}
	folded := strings.Join(strings.Fields(sent), " ")
	switch n := utf8.RuneCountInString(folded); {
	case n < least:
		p.setFault(name, textValue(sent), "minLength:"+strconv.Itoa(least))
	case n > most:
		p.setFault(name, textValue(sent), "maxLength:"+strconv.Itoa(most))
	}
	return folded
}

// readInteger reads a whole number between least and most.
func (p *params) readInteger(name string, absent, least, most int) int {
	sent, ok := p.firstValue(name)
	if !ok {
		return absent
	}
	n, err := strconv.ParseInt(sent, 10, 64)
	if errors.Is(err, strconv.ErrRange) {
		err = nil // n is the nearest number that fits 64 bits
	}
	switch {
	case err != nil, strings.HasPrefix(sent, "+"):
		p.setFault(name, textValue(sent), constraintInteger)
	case n < int64(least):
		p.setFault(name, textValue(sent), "min:"+strconv.Itoa(least))
	case n > int64(most):
		p.setFault(name, textValue(sent), "max:"+strconv.Itoa(most))
	}
	return int(n)
}

// readBoolean reads 1, true, 0 or false in any case. A name without = is true.
func (p *params) readBoolean(name string) bool {
	sent, _ := p.firstValue(name)
	if i := slices.IndexFunc(p.pairs, func(q pair) bool { return q.name == name }); i >= 0 && p.pairs[i].bare {
		return true
	}
	switch strings.ToLower(strings.TrimSpace(sent)) {
	case "1", "true":
		return true
	case "0", "false", "":
		return false
	}
	p.setFault(name, textValue(sent), constraintBoolean)
	return false
}

// readPlatform reads a platform or the word for any of them, which is zero.
func (p *params) readPlatform(name, any string) catalog.Platform {
	sent, _ := p.firstValue(name)
	platform, fault := parsePlatform(name, sent, any)
	if p.fault == nil {
		p.fault = fault
	}
	return platform
}

func parsePlatform(field, sent, any string) (catalog.Platform, *problem) {
	name := strings.TrimSpace(sent)
	if name == "" || strings.EqualFold(name, any) {
		return 0, nil
	}
	platform, err := catalog.ParsePlatform(name)
	if err != nil {
		constraint := "enum:" + any
		for _, p := range catalog.Platforms() {
			constraint += "," + p.String()
		}
		return 0, invalid(field, textValue(sent), constraint)
	}
	return platform, nil
}

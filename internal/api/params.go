package api

import (
	"math"
	"strconv"
	"strings"
	"unicode"
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

// err is the first fault, or that of a parameter nobody asked for.
func (p *params) err() error {
	if p.fault == nil {
		p.fault = brokenPair(p.pairs)
	}
	if p.fault != nil {
		return p.fault
	}
	return nil
}

// first gives the first value of a parameter. An empty one is as good as
// absent; a broken one is a fault wherever it stands.
func (p *params) first(name string) (text string, ok bool) {
	for i := range p.pairs {
		if p.pairs[i].name != name {
			continue
		}
		if p.pairs[i].broken {
			p.fail(name, textValue(p.pairs[i].raw), constraintEncoding)
			return "", false
		}
		if !ok {
			text, ok = p.pairs[i].text, true
		}
	}
	return text, ok && text != ""
}

func (p *params) fail(name string, v value, constraint string) {
	if p.fault == nil {
		p.fault = invalid(name, v, constraint)
	}
}

// text reads a required text, trimmed and with its white space folded, whose
// length in code points lies between least and most.
func (p *params) text(name string, least, most int) string {
	sent, ok := p.first(name)
	if !ok {
		p.fail(name, "", constraintRequired)
		return ""
	}
	folded := foldSpace(sent)
	switch n := utf8.RuneCountInString(folded); {
	case n < least:
		p.fail(name, textValue(sent), "minLength:"+strconv.Itoa(least))
	case n > most:
		p.fail(name, textValue(sent), "maxLength:"+strconv.Itoa(most))
	}
	return folded
}

// foldSpace trims s and makes one space of each run of white space. Most texts
// are so already.
func foldSpace(s string) string {
	last := ' '
	for _, r := range s {
		if unicode.IsSpace(r) && (r != ' ' || last == ' ') {
			return strings.Join(strings.Fields(s), " ")
		}
		last = r
	}
	return strings.TrimSuffix(s, " ")
}

// integer reads a whole number between least and most.
func (p *params) integer(name string, absent, least, most int) int {
	sent, ok := p.first(name)
	if !ok {
		return absent
	}
	n, err := parseInteger(sent)
	switch {
	case err != nil:
		p.fail(name, textValue(sent), constraintInteger)
	case n < int64(least):
		p.fail(name, textValue(sent), "min:"+strconv.Itoa(least))
	case n > int64(most):
		p.fail(name, textValue(sent), "max:"+strconv.Itoa(most))
	}
	return int(n)
}

// parseInteger reads an optional minus and digits. Numbers beyond 64 bits are
// integers too; they become the nearest one that fits.
func parseInteger(s string) (int64, error) {
	if strings.HasPrefix(s, "+") {
		return 0, strconv.ErrSyntax
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil && (n == math.MaxInt64 || n == math.MinInt64) {
		return n, nil
	}
	return n, err
}

// boolean reads 1, true, 0 or false in any case.
func (p *params) boolean(name string) bool {
	sent, _ := p.first(name)
	switch strings.ToLower(strings.TrimSpace(sent)) {
	case "1", "true":
		return true
	case "0", "false", "":
		return false
	}
	p.fail(name, textValue(sent), constraintBoolean)
	return false
}

// platform reads a platform or the word for any of them, which gives zero.
func (p *params) platform(name, any string) catalog.Platform {
	sent, _ := p.first(name)
	platform, ok := parsePlatform(sent, any)
	if !ok {
		p.fail(name, textValue(sent), platformConstraint(any))
	}
	return platform
}

func parsePlatform(s, any string) (catalog.Platform, bool) {
	s = strings.TrimSpace(s)
	if s == "" || strings.EqualFold(s, any) {
		return 0, true
	}
	platform, err := catalog.ParsePlatform(s)
	return platform, err == nil
}

func platformConstraint(any string) string {
	names := []string{any}
	for _, p := range catalog.Platforms() {
		names = append(names, p.String())
	}
	return "enum:" + strings.Join(names, ",")
}

package params

import (
	"errors"
	"slices"
	"strings"
	"time"

	"gamedex/internal/api/bulk"
	"gamedex/internal/api/selection"
	"gamedex/internal/catalog"
	"gamedex/internal/money"
)

// kept is the length of a list above which its memory is not kept.
const kept = 4000

// List is a list parameter as it was sent: its texts, each of which may hold
// several entries, or what is wrong with it.
type List struct {
	Texts []string
	Array bool // the texts are the elements of a JSON array
	Fault *Fault
	Known *selection.List // what the array was read as before; then there are no texts

	field string
	json  Value // the whole, if it was sent in a body
}

// Invalid returns the fault of a parameter that breaks a constraint.
func (l List) Invalid(constraint string) *Fault {
	sent := l.json
	if sent == "" && len(l.Texts) > 0 {
		sent = textValue(strings.Join(l.Texts, ","))
	}
	return &Fault{Field: l.field, Sent: sent, Constraint: constraint}
}

// First returns the text of a parameter that is not a list: the first one that was sent, ""
// if there is none.
func (l List) First() (text string, fault *Fault) {
	switch {
	case l.Fault != nil:
		return "", l.Fault
	case l.Array:
		return "", l.Invalid(String)
	case len(l.Texts) == 0:
		return "", nil
	}
	return l.Texts[0], nil
}

// Reader reads list parameters from where a request has them: a [Query] or an [Object].
type Reader interface {
	// List reads a parameter. If it is neither a string nor an array of strings,
	// its fault names wrongType as the constraint.
	List(field, wrongType string) List
	// Rest returns the fault of anything besides the parameters that were read.
	Rest() *Fault
}

// IDList collects ids, each once whatever its form, in the order in which they
// came, and how they were spelled. Its memory is reused.
type IDList struct {
	IDs       []selection.ID
	Spellings []selection.Spelling

	seen   map[string]int32 // key → number in IDs
	others map[string]bool  // the spellings of an id after its first
}

// Reset empties the list.
func (l *IDList) Reset() {
	if max(cap(l.IDs), cap(l.Spellings)) > kept {
		*l = IDList{}
		return
	}
	clear(l.IDs)
	clear(l.Spellings)
	clear(l.seen)
	clear(l.others)
	l.IDs, l.Spellings = l.IDs[:0], l.Spellings[:0]
}

// separates reports whether r separates the entries of a list.
func separates(r rune) bool {
	switch r {
	case ',', ';', ' ', '\n', '\r', '\t':
		return true
	}
	return false
}

// hasSeparator reports whether text has a separator, which are all single bytes. With
// strings.ContainsAny here and ContainsFunc in catalog.CanBeGameID, a request for 1,000 ids of
// which none changed takes a fifth longer.
func hasSeparator(text string) bool {
	for i := range len(text) {
		if separates(rune(text[i])) {
			return true
		}
	}
	return false
}

// Add adds every id in text. Ids are separated by commas, semicolons and
// white space; empty ones are ignored. If text is an element of an array and
// holds one id, the client spelled that id so, with what surrounds it.
func (l *IDList) Add(text string, element bool) {
	if text != "" && !hasSeparator(text) { // the usual element of an array
		l.add(text, text)
		return
	}
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

func (l *IDList) add(id, spelling string) {
	key := catalog.CardID(id)
	if key == "" {
		key = strings.ToLower(id)
	}
	number, known := l.seen[key]
	switch {
	case !known:
		if l.seen == nil {
			l.seen, l.others = map[string]int32{}, map[string]bool{}
		}
		number = int32(len(l.IDs))
		l.seen[key] = number
		l.IDs = append(l.IDs, selection.ID{Sent: spelling, Key: key})
	case l.IDs[number].Sent == spelling || l.others[spelling]:
		return
	default:
		l.others[spelling] = true
	}
	l.Spellings = append(l.Spellings, selection.Spelling{Text: spelling, ID: number})
}

// ParseRegions reads codes with the same separators as ids. The words "all" and
// "global" override the countries beside them, which must be valid nevertheless.
// "uk" is GB.
func ParseRegions(sent List) (selection.Regions, *Fault) {
	var list selection.Regions
	if sent.Fault != nil {
		return list, sent.Fault
	}
	seen := map[catalog.Region]bool{}
	for _, text := range sent.Texts {
		for entry := range strings.FieldsFuncSeq(text, separates) {
			code := strings.ToUpper(entry)
			region, err := selection.EuroArea, error(nil)
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
				return list, &Fault{Field: sent.field, Sent: textValue(entry), Constraint: Country}
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

// ParseInclude reads comma-separated block names. It returns the valid ones even
// if there is a fault, because the limit of ids depends on them.
func ParseInclude(sent List) (list bulk.Include, fault *Fault) {
	if sent.Fault != nil {
		return list, sent.Fault
	}
	for _, text := range sent.Texts {
		for name := range strings.SplitSeq(text, ",") {
			name = strings.ToLower(strings.TrimSpace(name))
			if name == "" {
				continue
			}
			i := slices.Index(bulk.BlockNames[:], name)
			switch {
			case i < 0 && fault == nil:
				fault = sent.Invalid("enum:" + strings.Join(bulk.BlockNames[:], ","))
			case i >= 0 && !list.Has(1<<i):
				list.Blocks |= 1 << i
				list.Names = append(list.Names, name)
			}
		}
	}
	return list, fault
}

// parseFirst reads a parameter that is not a list; its value is zero if none was sent. A text that parse
// does not take breaks the constraint.
func parseFirst[T any](sent List, constraint string, parse func(string) (T, error)) (value T, fault *Fault) {
	first, fault := sent.First()
	if first = strings.TrimSpace(first); fault != nil || first == "" {
		return value, fault
	}
	read, err := parse(first)
	if err != nil {
		sent.Texts = sent.Texts[:1] // further values are ignored
		return value, sent.Invalid(constraint)
	}
	return read, nil
}

// ParseLanguage reads a language tag, see [catalog.ParseLanguage]; it is "" if none was
// sent.
func ParseLanguage(sent List) (catalog.Language, *Fault) {
	return parseFirst(sent, Language, catalog.ParseLanguage)
}

// ParseCurrency reads an ISO 4217 code; it is "" if none was sent.
func ParseCurrency(sent List) (money.Currency, *Fault) {
	return parseFirst(sent, Currency, money.ParseCurrency)
}

// ParseSince reads a cursor of bulk prices; it is nil if none was sent.
func ParseSince(sent List) (*bulk.Cursor, *Fault) {
	c, fault := parseFirst(sent, Cursor, bulk.ParseCursor)
	if fault != nil && fault.Constraint == Cursor {
		fault.Reason = "send meta.cursor of an answer of bulk prices, or nothing for all games"
	}
	return c, fault
}

// ParseTime reads an RFC 3339 time, or a date, which stands for its start in UTC; it is nil if none
// was sent.
func ParseTime(sent List) (*catalog.Millis, *Fault) {
	return parseFirst(sent, Date, func(text string) (*catalog.Millis, error) {
		text = strings.ToUpper(text)
		parsed, err := time.Parse(time.RFC3339, text)
		if err != nil {
			parsed, err = time.Parse(time.DateOnly, text)
		}
		if err == nil && parsed.Year() < 1 {
			err = errors.New("no answer can show this year")
		}
		return new(catalog.MillisOf(parsed)), err
	})
}

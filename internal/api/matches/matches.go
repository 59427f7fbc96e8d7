// Package matches reads the items of a request to resolve, and encodes them with what they match.
//
//	body ─► ReadItems ─► Item ─► Resolve ─► Append
package matches

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"gamedex/internal/api/params"
	"gamedex/internal/api/wire"
	"gamedex/internal/index"
	"gamedex/internal/resolve"
)

// The bounds of items. Texts are measured in code points.
const (
	maxItems         = 1000
	maxLink          = 2048 // of a text with "://"
	maxText          = 200  // of others, as in a search
	maxRef           = 200
	maxDevices       = 20
	minYear, maxYear = 1900, 2100

	// ItemMemory is about how many bytes an item takes with its matches.
	ItemMemory = 1 << 10

	// someDevices is the constraint of a device, with examples: whatever a card is for is allowed, too.
	someDevices = "enum:PS5,PS4,PS3,Windows,Xbox Series X,Xbox One,Switch"
)

// Item is an item as it was sent, and what it matches.
type Item struct {
	resolve.Item
	input, ref params.Value
	sent       params.Value // the whole
	fault      *params.Fault
	matches    []resolve.Match
}

// ReadItems reads the body. Its error is a [*params.Fault] of the whole; what is wrong with an item is
// part of the answer.
func ReadItems(body []byte) ([]Item, error) {
	object := params.NewObject("items")
	if fault := object.Parse(body); fault != nil {
		return nil, fault
	}
	elements, fault := object.Elements("items")
	switch {
	case fault != nil:
		return nil, fault
	case len(elements) == 0:
		return nil, &params.Fault{Field: "items", Sent: object.Value("items").Bounded(), Constraint: params.Required}
	case len(elements) > maxItems:
		return nil, &params.Fault{Field: "items", Constraint: fmt.Sprintf("maxLength:%d", maxItems)}
	}
	items := make([]Item, len(elements))
	members := params.NewObject("title", "id", "ref", "platform", "year", "platforms")
	for i, raw := range elements {
		items[i] = readItem(members, raw)
		if f := items[i].fault; f != nil {
			f.Field = pathOf(i, f.Field)
		}
	}
	return items, nil
}

// pathOf returns the name of a member of an item; "" stands for the whole.
func pathOf(item int, member string) string {
	return strings.TrimSuffix(fmt.Sprintf("items[%d].%s", item, member), ".")
}

// readItem reads an item in the memory of members. The field of its fault is a member, or "" for the whole.
func readItem(members *params.Object, raw params.Value) (it Item) {
	members.Reset()
	switch {
	case strings.HasPrefix(string(raw), `"`):
		it.input = raw
		// The body was parsed: this is a string.
		_ = members.Parse([]byte(`{"title":` + string(raw) + `}`))
		it.Text, it.fault = readText(members, "title")
		if it.fault != nil {
			it.fault.Field = ""
		}
		return it
	case !strings.HasPrefix(string(raw), `{`):
		it.fault = &params.Fault{Sent: raw, Constraint: params.String}
	default:
		_ = members.Parse([]byte(raw))
		it.fault = it.readMembers(members)
	}
	it.sent = raw
	if it.fault != nil {
		it.input = raw
		it.fault.Sent = it.fault.Sent.Bounded()
	}
	it.input = it.input.Bounded()
	return it
}

// readMembers reads the members of an item in the order of the reference, and returns the
// first fault.
func (it *Item) readMembers(members *params.Object) (fault *params.Fault) {
	note := func(f *params.Fault) {
		if fault == nil {
			fault = f
		}
	}
	field := "title"
	if it.Kind = resolve.Title; members.Has("id") {
		field, it.Kind = "id", resolve.ID
	}
	it.input = members.Value(field)
	text, f := readText(members, field)
	it.Text = text
	note(f)
	ref := members.List("ref", params.String)
	text, f = ref.First()
	note(f)
	if f == nil && utf8.RuneCountInString(text) > maxRef {
		note(ref.Invalid(fmt.Sprintf("maxLength:%d", maxRef)))
	} else if f == nil && members.Has("ref") {
		it.ref = members.Value("ref")
	}
	text, f = members.List("platform", params.String).First()
	note(f)
	it.Platform, f = params.ParsePlatform("platform", text, params.AnyPlatform)
	note(f)
	it.Year, f = members.Integer("year", minYear, maxYear)
	note(f)
	devices := members.List("platforms", params.Array)
	note(devices.Fault)
	if len(devices.Texts) > maxDevices {
		note(devices.Invalid(fmt.Sprintf("maxLength:%d", maxDevices)))
	} else if len(devices.Texts) > 0 {
		it.Devices = append([]string(nil), devices.Texts...)
	}
	return fault
}

// readText returns a text to resolve.
func readText(members *params.Object, field string) (string, *params.Fault) {
	list := members.List(field, params.String)
	text, fault := list.First()
	if fault != nil {
		return "", fault
	}
	text = strings.TrimSpace(text)
	most := maxText
	if strings.Contains(text, "://") {
		most = maxLink
	}
	switch n := utf8.RuneCountInString(text); {
	case !members.Has(field):
		return "", list.Invalid(params.Required)
	case n == 0:
		return "", list.Invalid("minLength:1")
	case n > most:
		return "", list.Invalid(fmt.Sprintf("maxLength:%d", most))
	}
	return text, nil
}

// Resolve finds what the item matches, unless it is wrong, and returns on how many platforms it finds
// nothing. number is its place in the request.
func (it *Item) Resolve(r *resolve.Resolver, number int) (notFound int) {
	it.findDevices(r, number)
	if it.fault != nil {
		return 0
	}
	it.matches = r.Resolve(it.Item, make([]resolve.Match, 0, 2))
	for i := range it.matches {
		if it.matches[i].Status == resolve.NotFound {
			notFound++
		}
	}
	return notFound
}

// findDevices replaces the devices as they were sent by those of cards. A text that names none is a fault.
func (it *Item) findDevices(r *resolve.Resolver, number int) {
	var devices []string
	for _, text := range it.Devices {
		named := r.Devices(text)
		if named == nil && it.fault == nil {
			sent := params.Value(wire.AppendString(nil, text))
			it.fault = &params.Fault{Field: pathOf(number, "platforms"), Sent: sent.Bounded(), Constraint: someDevices}
			it.input = it.sent.Bounded()
		}
		devices = append(devices, named...)
	}
	it.Devices = devices
}

// Append appends the item with its matches as JSON.
func (it *Item) Append(dst []byte) []byte {
	dst = append(append(dst, `{"input":`...), it.input...)
	if it.ref != "" {
		dst = append(append(dst, `,"ref":`...), it.ref...)
	}
	if f := it.fault; f != nil {
		dst = append(f.Append(append(dst, `,"status":"invalid",`...)), ',')
	} else {
		dst = append(dst, ',')
	}
	dst = append(dst, `"matches":[`...)
	for i := range it.matches {
		dst = appendMatch(wire.AppendComma(dst, i), &it.matches[i])
	}
	return append(dst, `]}`...)
}

func appendMatch(dst []byte, m *resolve.Match) []byte {
	dst = wire.AppendText(append(dst, `{"platform":`...), m.Platform.String())
	dst = wire.AppendText(append(dst, `,"status":`...), m.Status.String())
	if m.Status == resolve.Resolved {
		dst = wire.AppendText(append(dst, `,"match":`...), m.Way.String())
		dst = appendCard(append(dst, ','), m.Card)
	}
	if m.MovedFrom != "" {
		dst = wire.AppendString(append(dst, `,"movedFrom":`...), m.MovedFrom)
	}
	if list := m.Candidates(); len(list) > 0 {
		dst = append(dst, `,"candidates":[`...)
		for i, c := range list {
			dst = appendCard(append(wire.AppendComma(dst, i), '{'), c)
			dst = append(wire.AppendList(append(dst, `,"platforms":`...), c.Platforms()), '}')
		}
		dst = append(dst, ']')
	}
	return append(dst, '}')
}

func appendCard(dst []byte, c index.Card) []byte {
	dst = wire.AppendText(append(dst, `"id":`...), c.ID())
	return wire.AppendText(append(dst, `,"title":`...), c.Title())
}

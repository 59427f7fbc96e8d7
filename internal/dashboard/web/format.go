package web

import (
	"cmp"
	"fmt"
	"html/template"
	"strconv"
	"strings"
	"time"
	"unicode"

	"gamedex/internal/money"
)

// Number formats n with the language's grouping of digits.
func (v *Visit) Number(n any) string { return v.language.number(n) }

// Decimal formats n with a number of digits after the decimal separator.
func (v *Visit) Decimal(n float64, digits int) string {
	return v.language.printer.Sprintf("%.*f", digits, n)
}

// Amount formats an amount in the form of the currency's own country, so that prices in
// one currency look alike on all pages; "" for [money.None].
func (v *Visit) Amount(c money.Currency, a money.Amount) string {
	text := v.site.format.Format(c.Home(), c, a)
	// Countries call many dollars "$", and yuan and yen "¥", with a full-width sign that many
	// fonts lack; others write from right to left. The English form says which they are.
	if c != money.USD && strings.ContainsAny(text, "$¥￥\u200f") {
		return v.site.format.Format("", c, a)
	}
	return text
}

// Country returns the name of a country (upper-case alpha-2) in the visitor's language.
func (v *Visit) Country(alpha2 string) string { return cmp.Or(v.language.countries[alpha2], alpha2) }

// CompareCountries compares two countries (upper-case alpha-2) by name, as the visitor's language
// sorts them.
func (v *Visit) CompareCountries(a, b string) int {
	return cmp.Compare(v.language.ranks[a], v.language.ranks[b])
}

// Time formats a time in Unix milliseconds as UTC, "25 Nov 2026, 09:32 UTC"; the
// script turns it into local time. It returns "–" for 0.
func (v *Visit) Time(ms int64) template.HTML {
	if ms == 0 {
		return "–"
	}
	at := time.UnixMilli(ms).UTC()
	text := template.HTMLEscapeString(v.Day(ms) + at.Format(", 15:04 UTC"))
	return template.HTML(fmt.Sprintf(`<time datetime="%s" title="%s UTC">%s</time>`, at.Format(time.RFC3339), at.Format(time.DateTime), text))
}

// Date formats the UTC day of a time, "25 Nov 2026", with the time as a tooltip. It returns "–" for 0.
func (v *Visit) Date(ms int64) template.HTML {
	if ms == 0 {
		return "–"
	}
	return withTime(ms, v.Day(ms))
}

// Day returns the UTC day of a time as a text, for a sentence: "25 Nov 2026".
func (v *Visit) Day(ms int64) string {
	at := time.UnixMilli(ms).UTC()
	return strconv.Itoa(at.Day()) + " " + v.Month(at.Month()) + " " + strconv.Itoa(at.Year())
}

// Month returns the short name of a month in the visitor's language.
func (v *Visit) Month(m time.Month) string { return v.language.months[m-1] }

// Ago returns how long ago a time was: "3 minutes ago".
func (v *Visit) Ago(ms int64) string {
	if ms == 0 {
		return v.T("time.never")
	}
	age := time.Duration(v.Now()-ms) * time.Millisecond
	switch {
	case age < time.Minute:
		return v.T("time.now")
	case age < time.Hour:
		return v.N("time.minutes-ago", int(age.Minutes()))
	case age < 48*time.Hour:
		return v.N("time.hours-ago", int(age.Hours()))
	}
	return v.N("time.days-ago", int(age.Hours()/24))
}

// Since returns Ago with the time itself, in UTC, as a tooltip.
func (v *Visit) Since(ms int64) template.HTML { return withTime(ms, v.Ago(ms)) }

// Until returns when something is due, with the time as a tooltip: "now", "in
// 5 minutes".
func (v *Visit) Until(ms int64) template.HTML {
	wait := time.Duration(ms-v.Now()) * time.Millisecond
	switch {
	case wait <= 0:
		return withTime(0, v.T("status.due.now"))
	case wait < time.Hour:
		return withTime(ms, v.N("status.due.minutes", int((wait+time.Minute-1)/time.Minute)))
	case wait < 48*time.Hour:
		return withTime(ms, v.N("status.due.hours", int(wait.Hours())))
	}
	return withTime(ms, v.N("status.due.days", int(wait.Hours()/24)))
}

// Left returns how long it is until a time, with the time as a tooltip: "3 days left". The page is valid
// until the text changes.
func (v *Visit) Left(ms int64) template.HTML {
	left := time.Duration(ms-v.Now()) * time.Millisecond
	unit, text := time.Hour, v.T("time.hour-left")
	if n := int(left / (24 * time.Hour)); n > 0 {
		unit, text = 24*time.Hour, v.N("time.days-left", n)
	} else if n := int(left / time.Hour); n > 0 {
		text = v.N("time.hours-left", n)
	}
	v.ValidUntil(ms - (left / unit * unit).Milliseconds() + 1)
	return withTime(ms, text)
}

// withTime puts a time into the tooltip of a text; 0 is not a time.
func withTime(ms int64, text string) template.HTML {
	text = template.HTMLEscapeString(text)
	if ms == 0 {
		return template.HTML(text)
	}
	return template.HTML(fmt.Sprintf(`<span title="%s UTC">%s</span>`, time.UnixMilli(ms).UTC().Format(time.DateTime), text))
}

// OneLine returns a store's text for use outside of a page: on one line, and without
// characters that control a terminal or change the direction of the text after them.
func OneLine(s string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r):
			return -1
		}
		return r
	}, s)), " ")
}

// Shorten cuts a text after n code points and appends "…" if it was longer.
func Shorten(s string, n int) string {
	runes := []rune(s)
	if len(runes) <= n {
		return s
	}
	return string(runes[:n]) + "…"
}

// Markup writes the parts of pages that repeat a few tags for each of many rows: a template takes
// several times as long. The markup is what the program says; every other text is escaped. The zero
// value is ready.
type Markup struct{ html []byte }

// literal is markup that is a constant of the program. As the type is not exported, other packages
// cannot convert a variable to it.
type literal string

// Tags adds markup.
func (m *Markup) Tags(tags literal) { m.html = append(m.html, tags...) }

// Text adds a text, escaped for an element and for the value of an attribute in double quotes. An
// address must be one that the page may lead to: it is not checked here.
func (m *Markup) Text(text string) {
	m.html = append(m.html, template.HTMLEscapeString(text)...)
}

// Between adds a text, escaped as by Text, between markup.
func (m *Markup) Between(before literal, text string, after literal) {
	m.Tags(before)
	m.Text(text)
	m.Tags(after)
}

// Number adds a number.
func (m *Markup) Number(n int) { m.html = strconv.AppendInt(m.html, int64(n), 10) }

// Escaped adds HTML, such as that of a date.
func (m *Markup) Escaped(html template.HTML) { m.html = append(m.html, html...) }

// HTML returns what was added.
func (m *Markup) HTML() template.HTML { return template.HTML(m.html) }

package web

import (
	"html/template"
	"strconv"
)

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

// Number adds a number.
func (m *Markup) Number(n int) { m.html = strconv.AppendInt(m.html, int64(n), 10) }

// Escaped adds HTML, such as that of a date.
func (m *Markup) Escaped(html template.HTML) { m.html = append(m.html, html...) }

// HTML returns what was added.
func (m *Markup) HTML() template.HTML { return template.HTML(m.html) }

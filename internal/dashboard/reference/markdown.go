package reference

import (
	"bytes"
	"html/template"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/parser"
)

// converter omits HTML and dangerous links that are in the text.
var converter = goldmark.New(goldmark.WithParserOptions(parser.WithAutoHeadingID()))

// additionMark begins the mark of what goes beyond the specification, as a page shows it.
const additionMark = `<strong class="badge accent">Addition`

// markdown returns a Markdown text as HTML. "**Addition**" becomes a mark.
func markdown(text string) (template.HTML, error) {
	var html bytes.Buffer
	if err := converter.Convert([]byte(text), &html); err != nil {
		return "", err
	}
	marked := strings.ReplaceAll(html.String(), "<strong>Addition", additionMark)
	return template.HTML(marked), nil
}

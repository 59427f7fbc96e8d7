package explore

import (
	"net/url"
	"strings"
	"unicode/utf8"

	"gamedex/internal/dashboard/web"
)

// MinQuery and MaxQuery bound the length of a query in characters, as the API does.
const MinQuery, MaxQuery = 2, 200

// SearchBox is the form on every page of the explorer.
type SearchBox struct {
	Text    string
	Filters []Choice // on the search page only
	Max     int      // length of the query
}

// NewSearchBox returns the form with what the visitor searches for.
func NewSearchBox(v *web.Visit, filters ...Choice) SearchBox {
	return SearchBox{Text: SearchText(v), Filters: filters, Max: MaxQuery}
}

// SearchText returns the text to search for, as the API accepts it.
func SearchText(v *web.Visit) string {
	return strings.Join(strings.Fields(strings.ToValidUTF8(v.Form("q"), " ")), " ")
}

// Query returns the visitor's search as parameters, which the API and this
// page share. A text that is too long is left out.
func (b *SearchBox) Query() url.Values {
	q := url.Values{}
	if b.Text != "" && utf8.RuneCountInString(b.Text) <= MaxQuery {
		q.Set("q", b.Text)
	}
	for _, c := range b.Filters {
		c.set(q)
	}
	return q
}

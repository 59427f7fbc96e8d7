package explore

import (
	"embed"
	"net/http"
	"net/url"
	"time"

	"gamedex/internal/dashboard/web"
	"gamedex/internal/index"
)

// Templates are the parts of pages that this package fills in.
//
//go:embed templates
var Templates embed.FS

// Explorer reads the catalog for pages. Its fields must not change.
type Explorer struct {
	Site *web.Site
	Live *index.Live
	// API returns the handler that answers API requests on behalf of a user; "" is a visitor
	// of public pages.
	API func(userID string) http.Handler
}

// Example returns the English title and the id of a popular game; "" if there is none.
func (e *Explorer) Example(v *web.Visit) (title, id string) {
	var found ListAnswer
	_, err := e.Call(v, "browse", url.Values{"sort": {"popularity"}, "types": {"game"}, "limit": {"1"}, "lang": {"en"}}, &found)
	if err != nil || len(found.Data.Items) == 0 {
		return "", ""
	}
	return found.Data.Items[0].Title, found.Data.Items[0].ID
}

// View returns the catalog, or a [web.Problem] while there is none.
func (e *Explorer) View() (*index.View, error) {
	live := e.Live.View()
	if live == nil {
		return nil, &web.Problem{Status: http.StatusServiceUnavailable, Message: "explore.unavailable", RetryAfter: time.Minute}
	}
	return live, nil
}

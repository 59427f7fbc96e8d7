package explore

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"time"

	"gamedex/internal/dashboard/web"
)

// SendXML answers with a document in XML of a content type: a feed or a sitemap.
func SendXML(v *web.Visit, contentType string, document any) error {
	body, err := xml.Marshal(document)
	if err != nil {
		return fmt.Errorf("write %s: %w", contentType, err)
	}
	return v.Send(http.StatusOK, contentType+"; charset=utf-8", append([]byte(xml.Header), body...))
}

// RFC3339 formats Unix milliseconds as feeds and sitemaps do; "" for 0.
func RFC3339(ms int64) string {
	if ms == 0 {
		return ""
	}
	return time.UnixMilli(ms).UTC().Format(time.RFC3339)
}

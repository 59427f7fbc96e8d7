package dashboard

import (
	"fmt"
	"hash/fnv"
	"net/url"
	"slices"
	"strings"
	"unicode"
)

// imageHosts are the hosts, beside this one, whose pictures pages may show:
// "https://img.example".
type imageHosts []string

// parseImageHosts reads hosts and origins; a host alone is meant with HTTPS.
func parseImageHosts(words []string) (imageHosts, error) {
	var hosts imageHosts
	for _, word := range words {
		if word = strings.TrimSpace(word); word == "" {
			continue
		}
		address := word
		if !strings.Contains(address, "://") {
			address = "https://" + address
		}
		u, err := url.Parse(address)
		if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || address != u.Scheme+"://"+u.Host ||
			strings.ContainsAny(u.Host, "*;,' ") {
			return nil, fmt.Errorf("image host %q: must be a host such as img.example, or an origin such as https://img.example", word)
		}
		hosts = append(hosts, strings.ToLower(address))
	}
	return hosts, nil
}

// picture is the address under which a page loads a picture; "" if it may not
// load it. Pictures of this server are loaded from wherever the page is.
func (d *Dashboard) picture(address string) string {
	if own, ok := strings.CutPrefix(address, d.cfg.PublicURL+"/"); ok {
		return ownPath("/"+own, "") // never "//host", which would be another's
	}
	u, err := url.Parse(address)
	if err != nil || u.User != nil || !slices.Contains(d.images, strings.ToLower(u.Scheme+"://"+u.Host)) {
		return ""
	}
	return address
}

// cover is the picture of a card, over a drawn one that is seen where it may
// not be loaded, or is not there.
type cover struct {
	Source   string // address; "": only the drawn one
	Initials string
	Ground   int // class of the drawn one's colour: 1 to grounds
}

// grounds is how many colours the style has for drawn covers.
const grounds = 6

// cover makes the cover of a card with this title.
func (d *Dashboard) cover(address, title string) cover {
	h := fnv.New32a()
	_, _ = h.Write([]byte(title)) // a hash takes everything
	return cover{Source: d.picture(address), Initials: initials(title), Ground: 1 + int(h.Sum32()%grounds)}
}

// initials are the first letters or digits of the first two words of a title.
func initials(title string) string {
	var found []rune
	inside := false
	for _, r := range title {
		letter := unicode.IsLetter(r) || unicode.IsDigit(r)
		if letter && !inside && len(found) < 2 {
			found = append(found, unicode.ToUpper(r))
		}
		inside = letter || inside && (r == '\'' || r == '’' || unicode.IsMark(r))
	}
	return string(found)
}

// contentPolicy is what a page may load and where its forms may go.
func contentPolicy(hosts imageHosts) string {
	images := strings.Join(append([]string{"'self'"}, hosts...), " ")
	return "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src " + images +
		"; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
}

package consolestore

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/language"

	"gamedex/internal/catalog/markup"
)

// The bounds of a listing (doc/feed.md). Longer texts of the store are cut: a game with an
// endless name is still for sale.
const (
	maxTitle       = 500      // code points
	maxText        = 4 << 10  // bytes
	maxDescription = 64 << 10 // bytes
	maxURL         = 2048     // bytes
	maxList        = 200      // entries
	maxLocale      = 100      // bytes; RFC 5646 needs 35
)

// shown returns a short text of the store on one line.
func shown(s string) string {
	s = strings.Map(controlToSpace, strings.ReplaceAll(s, "\x00", ""))
	return strings.TrimSpace(clip(s, maxText))
}

func controlToSpace(r rune) rune {
	if unicode.IsControl(r) {
		return ' '
	}
	return r
}

// clip cuts a text to at most n bytes, between two characters.
func clip(s string, n int) string {
	return strings.ToValidUTF8(s[:min(len(s), n)], "")
}

func clipRunes(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return strings.TrimSpace(s[:i])
		}
	}
	return s
}

// plainText removes the mark-up of a description. It keeps at most one empty line between two
// lines.
func plainText(s string) string {
	text, _ := markup.Text(clip(s, 4*maxDescription), "")
	var lines []string
	for line := range strings.Lines(strings.ReplaceAll(text, "\r", "\n")) {
		line = strings.TrimSpace(strings.Map(controlToSpace, line))
		if line != "" || len(lines) > 0 && lines[len(lines)-1] != "" {
			lines = append(lines, line)
		}
	}
	return strings.TrimSpace(clip(strings.Join(lines, "\n"), maxDescription))
}

// releaseDate returns the day of a time that is midnight in some time zone: from 11:00 UTC
// on it is midnight of the next day, as in Auckland; before, it is midnight of the same
// day or later, as in Honolulu.
func releaseDate(s string) string {
	if t, err := time.Parse(time.DateOnly, s); err == nil {
		return t.Format(time.DateOnly)
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return ""
	}
	t = t.UTC().Add(13 * time.Hour)
	if t.Year() < 1 || t.Year() > 9999 {
		return ""
	}
	return t.Format(time.DateOnly)
}

// ageAndSystem splits "ESRB_EVERYONE" and "CGSRR_15"; lists omit the authority.
func (r *contentRating) ageAndSystem() (age, system string) {
	system, name := shown(r.Authority), shown(r.Name)
	if system == "" {
		system, _, _ = strings.Cut(name, "_")
	}
	if name == system {
		return "", system
	}
	age = strings.TrimPrefix(name, system+"_")
	return strings.ReplaceAll(age, "_", " "), system
}

// genres returns the names without repetitions, in the store's order.
func genres(lists ...[]genre) []string {
	for _, list := range lists {
		var names []string
		for _, g := range list {
			if name := shown(g.Value); name != "" && !slices.Contains(names, name) && len(names) < maxList {
				names = append(names, name)
			}
		}
		if len(names) > 0 {
			return names
		}
	}
	return nil
}

// canonical returns a locale in the BCP 47 form: "zh-hant-tw" becomes "zh-Hant-TW".
func canonical(locale string) string {
	if len(locale) > maxLocale { // the time to parse a tag grows with the square of its length
		return ""
	}
	tag, err := language.Raw.Parse(locale)
	if err != nil {
		return ""
	}
	return tag.String()
}

type pictures struct {
	cover, logo string
	screenshots []string
}

// readPictures reads the first list with pictures. Covers have several forms; shops show
// the square one in lists.
func readPictures(lists ...json.RawMessage) (p pictures) {
	for _, raw := range lists {
		byRole := linksByRole(raw)
		for _, role := range []string{"MASTER", "GAMEHUB_COVER_ART", "PORTRAIT_BANNER", "FOUR_BY_THREE_BANNER"} {
			if links := byRole[role]; p.cover == "" && len(links) > 0 {
				p.cover = links[0]
			}
		}
		if links := byRole["LOGO"]; len(links) > 0 {
			p.logo = links[0]
		}
		p.screenshots = byRole["SCREENSHOT"]
		if len(byRole) > 0 {
			return p
		}
	}
	return p
}

func linksByRole(raw json.RawMessage) map[string][]string {
	type medium struct {
		Role string `json:"role"`
		Type string `json:"type"`
		URL  string `json:"url"`
	}
	var list []json.RawMessage
	if isNull(raw) || json.Unmarshal(raw, &list) != nil {
		return nil
	}
	links := make(map[string][]string)
	media, _ := decodeEach[medium](list)
	for _, m := range media {
		isImage := m.Type == "" || m.Type == "IMAGE"
		u, err := url.Parse(m.URL)
		isLink := err == nil && len(m.URL) <= maxURL && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https") &&
			!strings.ContainsFunc(m.URL, unicode.IsControl)
		if isImage && isLink && len(links[m.Role]) < maxList && !slices.Contains(links[m.Role], m.URL) {
			links[m.Role] = append(links[m.Role], m.URL)
		}
	}
	return links
}

package dashboard_test

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// TestNoEnglishIsLeft goes over all pages in the other languages, as an administrator and as
// a stranger, and looks for English: texts of ours, and words that only a sentence has.
func TestNoEnglishIsLeft(t *testing.T) {
	t.Parallel()
	s := newAttackedWorld(t)
	s.crowd()
	public := newWorld(t, withPublicPages)
	for _, language := range []string{"ru", "uk"} {
		english := englishTexts(t, language)
		seen := 0
		for who, v := range map[string]*visitor{"an administrator": s.as(s.ann), "a user": s.as(s.bob), "a stranger": s.newVisitor()} {
			v.header.Set("Accept-Language", language)
			for _, rt := range routesOf(http.MethodGet) {
				path := s.pathOf(rt)
				if rest, ok := strings.CutPrefix(path, "/en"); ok && (rest == "" || rest[0] == '/') {
					path = "/" + language + rest
				}
				seen += english.find(t, path+" for "+who, v.get(path))
			}
			seen += english.find(t, "/nowhere for "+who, v.get("/nowhere"))
		}
		v := public.newVisitor()
		for _, path := range public.publicPages() {
			seen += english.find(t, path, v.get("/"+language+strings.TrimPrefix(path, "/en")))
		}
		if seen < 100 {
			t.Errorf("%s: only %d pages", language, seen)
		}
	}
}

type englishText struct {
	same  map[string]bool  // English texts
	alike []*regexp.Regexp // and those with arguments, and with a word
}

func englishTexts(t *testing.T, language string) englishText {
	t.Helper()
	found := englishText{same: map[string]bool{}}
	other := messages(t, language)
	for key, text := range messages(t, "en") {
		literal := regexp.MustCompile(`%(\[\d+\])?s`).Split(text, -1)
		switch {
		case text == other[key]:
		case len(literal) == 1:
			found.same[text] = true
		case regexp.MustCompile(`[A-Za-z]{3}`).MatchString(strings.Join(literal, " ")):
			for i := range literal {
				literal[i] = regexp.QuoteMeta(literal[i])
			}
			found.alike = append(found.alike, regexp.MustCompile("^"+strings.Join(literal, ".+")+"$"))
		}
	}
	return found
}

// sentence has words that are in English sentences, but in hardly any title of a game.
var sentence = regexp.MustCompile(`\b(is|are|was|has|have|been|not|with|this|that|see|which|your|requires|needs)\b`)

// inEnglish are the pages with descriptions from the OpenAPI document, marked as English.
var inEnglish = regexp.MustCompile(`^/docs/(endpoints|schemas|rules)`)

func (e englishText) find(t *testing.T, name string, p answered) int {
	t.Helper()
	if !strings.HasPrefix(p.header.Get("Content-Type"), "text/html") {
		return 0
	}
	page, err := html.Parse(strings.NewReader(p.body))
	if err != nil {
		t.Fatal(err)
	}
	ours := !strings.Contains(p.path, "/en/games/") && !strings.Contains(p.path, "/games/") // stores write in English, too
	for _, text := range readTexts(page, inEnglish.MatchString(p.path), nil) {
		if e.same[text] || ours && sentence.MatchString(text) || slices.ContainsFunc(e.alike, func(r *regexp.Regexp) bool { return r.MatchString(text) }) {
			t.Errorf("%s has English: %q", name, text)
		}
	}
	return 1
}

// readTexts adds to texts what people see or hear of a page, except code; with skipMarked,
// also except what is marked as being in another language.
func readTexts(n *html.Node, skipMarked bool, texts []string) []string {
	if n.Type == html.TextNode {
		if text := strings.Join(strings.Fields(n.Data), " "); text != "" {
			texts = append(texts, text)
		}
	}
	if n.Type == html.ElementNode {
		if slices.Contains([]string{"script", "style", "pre", "code"}, n.Data) {
			return texts
		}
		for _, a := range n.Attr {
			switch a.Key {
			case "lang":
				if skipMarked && n.Data != "html" {
					return texts
				}
			case "title", "alt", "placeholder", "aria-label", "data-label", "data-copied":
				texts = append(texts, a.Val)
			}
		}
	}
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		texts = readTexts(child, skipMarked, texts)
	}
	return texts
}

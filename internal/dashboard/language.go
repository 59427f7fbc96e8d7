package dashboard

import (
	"embed"
	"encoding/json"
	"fmt"
	"net/http"

	"golang.org/x/text/feature/plural"
	xlanguage "golang.org/x/text/language"
	"golang.org/x/text/message"
)

//go:embed messages/*.json
var messageFiles embed.FS

// language holds the texts of one language.
type language struct {
	code    string // "en"
	name    string // in itself: "English"
	tag     xlanguage.Tag
	texts   map[string]string
	printer *message.Printer
}

// languages are all there are; the first is everybody's who asks for none of them.
type languages struct {
	all     []*language
	matcher xlanguage.Matcher
}

func loadLanguages() (*languages, error) {
	ls := &languages{}
	var tags []xlanguage.Tag
	for _, l := range []*language{
		{code: "en", name: "English", tag: xlanguage.English},
		{code: "ru", name: "Русский", tag: xlanguage.Russian},
	} {
		text, err := messageFiles.ReadFile("messages/" + l.code + ".json")
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(text, &l.texts); err != nil {
			return nil, fmt.Errorf("messages/%s.json: %w", l.code, err)
		}
		l.printer = message.NewPrinter(l.tag)
		ls.all, tags = append(ls.all, l), append(tags, l.tag)
	}
	ls.matcher = xlanguage.NewMatcher(tags)
	return ls, nil
}

// languageCookie remembers a choice that overrides what the browser asks for.
const languageCookie = "language"

// of chooses the language of a request: the visitor's choice, else the best of
// those his browser asks for.
func (ls *languages) of(r *http.Request) *language {
	if c, err := r.Cookie(languageCookie); err == nil {
		if l := ls.named(c.Value); l != nil {
			return l
		}
	}
	// What cannot be parsed asks for nothing: the first language.
	wanted, _, _ := xlanguage.ParseAcceptLanguage(r.Header.Get("Accept-Language"))
	_, i, _ := ls.matcher.Match(wanted...)
	return ls.all[i]
}

func (ls *languages) named(code string) *language {
	for _, l := range ls.all {
		if l.code == code {
			return l
		}
	}
	return nil
}

// Code is the language's tag.
func (l *language) Code() string { return l.code }

// Name is the language's name in itself.
func (l *language) Name() string { return l.name }

// text gives a text with args put into it. A key without text shows itself: a
// test sees to it that none does.
func (l *language) text(key string, args ...any) string {
	text, ok := l.texts[key]
	if !ok {
		return "[" + key + "]"
	}
	if len(args) == 0 {
		return text
	}
	return fmt.Sprintf(text, args...)
}

// count gives the text for n things in the form that the language wants.
func (l *language) count(key string, n int, args ...any) string {
	form := "other"
	switch plural.Cardinal.MatchPlural(l.tag, n, 0, 0, 0, 0) {
	case plural.One:
		form = "one"
	case plural.Few:
		form = "few"
	case plural.Many:
		form = "many"
	}
	return l.text(key+"."+form, append([]any{l.number(n)}, args...)...)
}

func (l *language) number(n any) string { return l.printer.Sprint(n) }

package dashboard

import (
	"bytes"
	"fmt"
	"html/template"
	"net/http"
	"strings"
	"time"

	"gamedex/internal/account"
)

// visit is one request while it is answered, and what every template sees as $.
type visit struct {
	d        *Dashboard
	w        http.ResponseWriter
	r        *http.Request
	language *language
	notice   *notice

	User *account.User // nil: nobody is signed in
	// Name and Content are those of the page that is rendered.
	Name    string
	Content any
}

// notice is a sentence about what was just done.
type notice struct {
	Key  string   `json:"key"`
	Args []string `json:"args,omitempty"`
	Bad  bool     `json:"bad,omitempty"`
}

// newVisit finds out who asks, in which language. Even with an error the visit
// can be answered.
func (d *Dashboard) newVisit(w http.ResponseWriter, r *http.Request) (*visit, error) {
	v := &visit{d: d, w: w, r: r, language: d.languages.of(r)}
	user, err := d.signedInUser(r.Context())
	v.User = user
	return v, err
}

// render answers with a page: the template called name with content.
func (v *visit) render(status int, name string, content any) error {
	v.Name, v.Content = name, content
	v.notice = v.takeNotice()
	var page bytes.Buffer
	if err := v.d.templates.execute(&page, name, v); err != nil {
		return fmt.Errorf("render %s: %w", name, err)
	}
	write(v.w, status, &page)
	return nil
}

// redirect leads to another page of this server after something was done.
func (v *visit) redirect(path string) error {
	http.Redirect(v.w, v.r, path, http.StatusSeeOther)
	return nil
}

// done leads to another page, which tells what was done: key names the
// sentence, args are put into it.
func (v *visit) done(path, key string, args ...string) error {
	v.tell(notice{Key: key, Args: args})
	return v.redirect(path)
}

// comeBack tells the browser after what time to ask again.
func (v *visit) comeBack(wait time.Duration) {
	v.w.Header().Set("Retry-After", fmt.Sprint(int((wait+time.Second-1)/time.Second)))
}

// by says who does what this visit does.
func (v *visit) by() account.By {
	by := account.By{At: v.now(), From: v.address()}
	if v.User != nil {
		by.Actor = v.User.ID
	}
	return by
}

// address is where the visit comes from; "" if that is not known.
func (v *visit) address() string {
	if a := v.d.cfg.Client(v.r); a.IsValid() {
		return a.String()
	}
	return ""
}

func (v *visit) now() int64 { return v.d.cfg.Now().UnixMilli() }

// form is a field of the form or of the query, without space around it.
func (v *visit) form(name string) string { return strings.TrimSpace(v.r.FormValue(name)) }

// T is a text in the visitor's language, with args put into it.
func (v *visit) T(key string, args ...any) string { return v.language.text(key, args...) }

// N is a text about n things: KEY.one, KEY.few, KEY.many or KEY.other. The
// number itself is put in first, args after it.
func (v *visit) N(key string, n int, args ...any) string { return v.language.count(key, n, args...) }

// Number writes n with the language's grouping of digits.
func (v *visit) Number(n any) string { return v.language.number(n) }

// Time shows a moment in Unix milliseconds: UTC, which the script turns into
// the visitor's own time; "–" for 0.
func (v *visit) Time(ms int64) template.HTML {
	if ms == 0 {
		return "–"
	}
	at := time.UnixMilli(ms).UTC()
	text := at.Format("2006-01-02 15:04") + " UTC"
	// Digits and fixed letters alone: nothing here needs escaping.
	return template.HTML(fmt.Sprintf(`<time datetime="%s" title="%s">%s</time>`, at.Format(time.RFC3339), at.Format("2006-01-02 15:04:05")+" UTC", text))
}

// Date shows the day of a moment, in UTC.
func (v *visit) Date(ms int64) template.HTML {
	if ms == 0 {
		return "–"
	}
	at := time.UnixMilli(ms).UTC()
	return template.HTML(fmt.Sprintf(`<time datetime="%[1]s" title="%[1]s UTC" data-day>%[1]s</time>`, at.Format(time.DateOnly)))
}

// Ago says how long before now a moment was, in words: "3 min ago".
func (v *visit) Ago(ms int64) string {
	if ms == 0 {
		return v.T("time.never")
	}
	age := time.Duration(v.now()-ms) * time.Millisecond
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

// Since says how long ago a moment was, with the moment itself, UTC, in its
// title.
func (v *visit) Since(ms int64) template.HTML { return titled(ms, v.Ago(ms)) }

// Until says when something is due: "now", "in 5 minutes".
func (v *visit) Until(ms int64) template.HTML {
	wait := time.Duration(ms-v.now()) * time.Millisecond
	switch {
	case wait <= 0:
		return template.HTML(template.HTMLEscapeString(v.T("status.due.now")))
	case wait < time.Hour:
		return titled(ms, v.N("status.due.minutes", int((wait+time.Minute-1)/time.Minute)))
	case wait < 48*time.Hour:
		return titled(ms, v.N("status.due.hours", int(wait.Hours())))
	}
	return titled(ms, v.N("status.due.days", int(wait.Hours()/24)))
}

func titled(ms int64, text string) template.HTML {
	text = template.HTMLEscapeString(text)
	if ms == 0 {
		return template.HTML(text)
	}
	return template.HTML(fmt.Sprintf(`<span title="%s UTC">%s</span>`, time.UnixMilli(ms).UTC().Format(time.DateTime), text))
}

// Lang is the page's language tag.
func (v *visit) Lang() string { return v.language.code }

// Languages are all there are, for the switch.
func (v *visit) Languages() []*language { return v.d.languages.all }

// Path is the address of this page, to come back to.
func (v *visit) Path() string { return v.r.URL.RequestURI() }

// In says whether the page belongs to a part of the site: "/keys".
func (v *visit) In(prefix string) bool {
	return v.r.URL.Path == prefix || strings.HasPrefix(v.r.URL.Path, prefix+"/")
}

// Notice is what to say of what was just done; nil: nothing.
func (v *visit) Notice() *notice { return v.notice }

// Text is the sentence of a notice.
func (v *visit) Text(n *notice) string {
	args := make([]any, len(n.Args))
	for i, a := range n.Args {
		args[i] = a
	}
	return v.T(n.Key, args...)
}

// Version is that of the program.
func (v *visit) Version() string { return v.d.cfg.Version }

// SignUpOpen says whether everybody may make an account.
func (v *visit) SignUpOpen() bool { return v.d.cfg.SignUp == SignUpOpen }

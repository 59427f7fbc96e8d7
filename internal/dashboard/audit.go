package dashboard

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"gamedex/internal/account"
	"gamedex/internal/catalog"
	"gamedex/internal/dashboard/web"
)

// auditView is what admin-audit.html shows.
type auditView struct {
	Actor, Action, Object string // what the visitor looks for
	Actions               []string
	Filtered              bool
	Lines                 []auditLine
	Before                int64
	Next                  int64 // the number below which the next page begins; 0: this is the last
}

type auditLine struct {
	At           int64
	Actor        who
	Action       string
	Known        bool // there are words for the action
	Object       auditObject
	Detail, From string
}

// auditObject is what something was done to.
type auditObject struct {
	Who           who
	Key, Platform string // name, where it is a key or a platform
}

// actions are all actions that have words, as the filter lists them.
func actions() []string {
	var words []string
	for _, a := range []account.Action{
		account.KeyCreate, account.KeyRename, account.KeySuspend, account.KeyResume, account.KeyLimits, account.KeyRevoke,
		account.UserCreate, account.UserSignIn, account.UserPassword, account.UserIdentity, account.UserSignOut,
		account.UserAdmin, account.UserNoAdmin, account.UserDisable, account.UserEnable, account.UserDelete,
		account.LinkCreate, account.LinkRevoke, account.PlatformSet,
	} {
		words = append(words, string(a))
	}
	return words
}

// audit shows what was done, newest first.
func (d *Dashboard) audit(v *web.Visit) error {
	view := auditView{Actor: d.search(v, "actor"), Action: d.search(v, "action"), Object: d.search(v, "object"), Actions: actions()}
	view.Filtered = view.Actor != "" || view.Action != "" || view.Object != ""
	// What is no number asks for the first page.
	view.Before, _ = strconv.ParseInt(v.Form("before"), 10, 64)
	query, err := d.auditQuery(v, view)
	if err != nil {
		return err
	}
	entries, err := d.cfg.Store.SearchAudit(v.Context(), query)
	if err != nil {
		return web.StoreError(err)
	}
	if len(entries) > auditPerPage {
		entries = entries[:auditPerPage]
		view.Next = entries[auditPerPage-1].ID
	}
	if view.Lines, err = d.auditLines(v, entries); err != nil {
		return err
	}
	return v.Render(http.StatusOK, "admin-audit", view)
}

// auditQuery is what the visitor looks for in the log's own words: it knows
// users by their ids.
func (d *Dashboard) auditQuery(v *web.Visit, view auditView) (q account.AuditQuery, err error) {
	q = account.AuditQuery{Action: account.Action(view.Action), Before: max(view.Before, 0), Limit: auditPerPage + 1}
	if q.Actor, err = d.idOf(v, view.Actor); err != nil {
		return q, err
	}
	q.Object, err = d.idOf(v, view.Object)
	return q, err
}

// idOf is the id of the user with an email address; other texts stay as they are.
func (d *Dashboard) idOf(v *web.Visit, text string) (string, error) {
	if !strings.Contains(text, "@") {
		return text, nil
	}
	u, found, err := d.cfg.Store.FindUserByEmail(v.Context(), strings.ToLower(text))
	if err != nil {
		return "", web.StoreError(err)
	}
	if found {
		return u.ID, nil
	}
	return strings.ToLower(text), nil
}

func (d *Dashboard) auditLines(v *web.Visit, entries []account.AuditEntry) ([]auditLine, error) {
	known, names, keys := actions(), d.people(v), keyNames{}
	var lines []auditLine
	for _, e := range entries {
		line := auditLine{At: e.At, Action: string(e.Action), Known: slices.Contains(known, string(e.Action)),
			Detail: shortened(e.Detail, maxDetailLen), From: e.From}
		var err error
		if line.Actor, err = names.who(e.Actor); err != nil {
			return nil, err
		}
		if line.Object.Who, err = names.who(e.Object); err != nil {
			return nil, err
		}
		if line.Object.Key, err = keys.name(d, v, e.Object); err != nil {
			return nil, err
		}
		if p, err := catalog.ParsePlatform(e.Object); err == nil {
			line.Object.Platform = d.site.PlatformName(p)
		}
		lines = append(lines, line)
	}
	return lines, nil
}

// maxDetailLen bounds what is shown of a detail, in code points.
const maxDetailLen = 300

// keyNames are the names of a page's keys by id, each asked for once.
type keyNames map[string]string

// name is the name of a key; "" if the id is none's.
func (n keyNames) name(d *Dashboard, v *web.Visit, id string) (string, error) {
	if !strings.HasPrefix(id, "key_") {
		return "", nil
	}
	if name, seen := n[id]; seen {
		return name, nil
	}
	k, err := d.cfg.Store.FindKeyByID(v.Context(), id)
	if err != nil && !errors.Is(err, account.ErrNotFound) {
		return "", web.StoreError(err)
	}
	n[id] = k.Name
	return k.Name, nil
}

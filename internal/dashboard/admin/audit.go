package admin

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
	Actor, Action, Object string // the search
	Actions               []string
	Filtered              bool
	Lines                 []auditLine
	Before                int64
	Next                  int64 // the entry before which the next page begins; 0: this is the last page
}

type auditLine struct {
	At           int64
	Actor        who
	Action       string
	Known        bool // the action has a text
	Object       auditObject
	Detail, From string
}

// auditObject is what an action changed.
type auditObject struct {
	Who           who
	Key, Platform string // names, if it is a key or a platform
}

// actions returns all actions that have a text, in the order of the filter.
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

// audit shows the audit log, newest first.
func (p *Pages) audit(v *web.Visit) error {
	view := auditView{Actor: searchText(v, "actor"), Action: searchText(v, "action"), Object: searchText(v, "object"), Actions: actions()}
	view.Filtered = view.Actor != "" || view.Action != "" || view.Object != ""
	// Anything but a number means the first page.
	view.Before, _ = strconv.ParseInt(v.Form("before"), 10, 64)
	query, err := p.auditQuery(v, view)
	if err != nil {
		return err
	}
	entries, err := p.Audit.SearchAudit(v.Context(), query)
	if err != nil {
		return web.StoreError(err)
	}
	if len(entries) > auditPerPage {
		entries = entries[:auditPerPage]
		view.Next = entries[auditPerPage-1].ID
	}
	if view.Lines, err = p.auditLines(v, entries); err != nil {
		return err
	}
	return v.Render(http.StatusOK, "admin-audit", view)
}

// auditQuery returns the search as the log understands it: with ids of users.
func (p *Pages) auditQuery(v *web.Visit, view auditView) (q account.AuditQuery, err error) {
	q = account.AuditQuery{Action: account.Action(view.Action), Before: max(view.Before, 0), Limit: auditPerPage + 1}
	if q.Actor, err = p.userID(v, view.Actor); err != nil {
		return q, err
	}
	q.Object, err = p.userID(v, view.Object)
	return q, err
}

// userID returns the id of the user with an email address, and any other text as it
// is.
func (p *Pages) userID(v *web.Visit, text string) (string, error) {
	if !strings.Contains(text, "@") {
		return text, nil
	}
	u, found, err := p.Users.FindUserByEmail(v.Context(), strings.ToLower(text))
	if err != nil {
		return "", web.StoreError(err)
	}
	if found {
		return u.ID, nil
	}
	return strings.ToLower(text), nil
}

func (p *Pages) auditLines(v *web.Visit, entries []account.AuditEntry) ([]auditLine, error) {
	known, names, keys := actions(), p.people(v), keyNames{}
	var lines []auditLine
	for _, e := range entries {
		line := auditLine{At: e.At, Action: string(e.Action), Known: slices.Contains(known, string(e.Action)),
			Detail: web.Shorten(e.Detail, maxDetailLen), From: e.From}
		var err error
		if line.Actor, err = names.find(e.Actor); err != nil {
			return nil, err
		}
		if line.Object.Who, err = names.find(e.Object); err != nil {
			return nil, err
		}
		if line.Object.Key, err = keys.find(p, v, e.Object); err != nil {
			return nil, err
		}
		if platform, err := catalog.ParsePlatform(e.Object); err == nil {
			line.Object.Platform = p.site.PlatformName(platform)
		}
		lines = append(lines, line)
	}
	return lines, nil
}

// maxDetailLen bounds a detail, in code points.
const maxDetailLen = 300

// keyNames are the names of the keys on one page, by id.
type keyNames map[string]string

// find returns the name of a key, or "" if the id is not that of a key.
func (n keyNames) find(p *Pages, v *web.Visit, id string) (string, error) {
	if !strings.HasPrefix(id, "key_") {
		return "", nil
	}
	if name, seen := n[id]; seen {
		return name, nil
	}
	k, err := p.Keys.FindKeyByID(v.Context(), id)
	if err != nil && !errors.Is(err, account.ErrNotFound) {
		return "", web.StoreError(err)
	}
	n[id] = k.Name
	return k.Name, nil
}

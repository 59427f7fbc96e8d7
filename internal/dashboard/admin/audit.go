package admin

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"gamedex/internal/account"
	"gamedex/internal/catalog"
	"gamedex/internal/dashboard/web"
)

// actions are all actions that have a text, in the order of the filter.
var actions = []account.Action{
	account.KeyCreate, account.KeyRename, account.KeySuspend, account.KeyResume, account.KeyLimits, account.KeyRevoke,
	account.UserCreate, account.UserSignIn, account.UserPassword, account.UserIdentity, account.UserSignOut,
	account.UserAdmin, account.UserNoAdmin, account.UserDisable, account.UserEnable, account.UserDelete,
	account.LinkCreate, account.LinkRevoke, account.WebhookOff, account.WebhookDelete, account.PlatformSet, account.OverridesImport, account.ProfileRegister,
}

type auditView struct {
	Actor, Action, Object string // the search
	Actions               []account.Action
	Filtered              bool
	Lines                 []auditLine
	Before                int64
	Next                  int64 // the entry before which the next page begins; 0: this is the last page
}

type auditLine struct {
	At     int64
	Actor  who
	Action account.Action
	Known  bool // the action has a text
	Object struct {
		Who           who
		Key, Platform string // names, if it is a key or a platform
	}
	Detail, From string
}

func (p *pages) audit(v *web.Visit) error {
	view := auditView{Actor: searchText(v, "actor"), Action: searchText(v, "action"), Object: searchText(v, "object"), Actions: actions}
	view.Filtered = view.Actor != "" || view.Action != "" || view.Object != ""
	// Anything but a number means the first page.
	view.Before, _ = strconv.ParseInt(v.Form("before"), 10, 64)
	query := account.AuditQuery{Action: account.Action(view.Action), Before: max(view.Before, 0), Limit: perPage + 1}
	var err error
	if query.Actor, err = p.userID(v, view.Actor); err != nil {
		return err
	}
	if query.Object, err = p.userID(v, view.Object); err != nil {
		return err
	}
	entries, err := p.SearchAudit(v.Context(), query)
	if err != nil {
		return web.DatabaseError(err)
	}
	if len(entries) > perPage {
		entries = entries[:perPage]
		view.Next = entries[perPage-1].ID
	}
	names := p.names(v)
	for _, e := range entries {
		line, err := p.auditLine(v, names, e)
		if err != nil {
			return err
		}
		view.Lines = append(view.Lines, line)
	}
	return v.Render(http.StatusOK, "admin-audit", view)
}

func (p *pages) auditLine(v *web.Visit, names *names, e account.AuditEntry) (line auditLine, err error) {
	line = auditLine{At: e.At, Action: e.Action, Known: slices.Contains(actions, e.Action), Detail: detailText(v, e), From: e.From}
	if line.Actor, err = names.findWho(e.Actor); err != nil {
		return line, err
	}
	if line.Object.Who, err = names.findWho(e.Object); err != nil {
		return line, err
	}
	if line.Object.Key, err = names.findKeyName(e.Object); err != nil {
		return line, err
	}
	if platform, err := catalog.ParsePlatform(e.Object); err == nil {
		line.Object.Platform = p.site.PlatformName(platform)
	}
	return line, nil
}

// userID returns the id of the user with an email address; other texts stay.
func (p *pages) userID(v *web.Visit, text string) (string, error) {
	if !strings.Contains(text, "@") {
		return text, nil
	}
	u, found, err := p.Users.FindUserByEmail(v.Context(), strings.ToLower(text))
	if err != nil {
		return "", web.DatabaseError(err)
	}
	if found {
		return u.ID, nil
	}
	return strings.ToLower(text), nil
}

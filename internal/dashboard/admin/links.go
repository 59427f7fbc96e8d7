package admin

import (
	"encoding/hex"
	"errors"
	"net/http"

	"gamedex/internal/account"
	"gamedex/internal/dashboard/signin"
	"gamedex/internal/dashboard/web"
)

// linkLine is an open one-time link. Only its creator has seen its address.
type linkLine struct {
	Hash      string // of the token, in hex
	Purpose   string
	For, By   who
	Admin     bool
	ExpiresAt int64
}

func (p *pages) invite(v *web.Visit) error {
	if p.site.SignUp == web.SignUpClosed {
		return &web.Problem{Status: http.StatusForbidden, Message: "admin.invite.closed"}
	}
	view := usersView{Email: v.Form("email"), Admin: v.Form("admin") != ""}
	email, err := account.ParseEmail(view.Email)
	if wrong, ok := web.FieldErrorsOf(err); ok {
		view.Errors = wrong
		return p.showUsers(v, http.StatusUnprocessableEntity, view)
	}
	if err != nil {
		return err
	}
	_, taken, err := p.Users.FindUserByEmail(v.Context(), email)
	if err != nil {
		return web.DatabaseError(err)
	}
	if taken { // administrators may know who has an account
		view.Errors = web.FieldErrors{"email": "admin.invite.taken"}
		return p.showUsers(v, http.StatusUnprocessableEntity, view)
	}
	detail, text := string(account.LinkInvite), "admin.invite.made"
	if view.Admin {
		detail, text = detail+", administrator", "admin.invite.made-admin"
	}
	return p.createLink(v, account.Link{Purpose: account.LinkInvite, Email: email, Admin: view.Admin}, detail,
		oneTimeLinkView{Heading: "admin.invite.link", Text: text, Email: email, Back: "/admin/users"})
}

func (p *pages) resetLink(v *web.Visit, u account.User) error {
	if u.Disabled() {
		return v.Refused(userPath(u), "admin.user.reset-disabled")
	}
	return p.createLink(v, account.Link{Purpose: account.LinkReset, UserID: u.ID}, string(account.LinkReset),
		oneTimeLinkView{Heading: "admin.reset.link", Text: "admin.reset.made", Email: u.Email, Back: userPath(u)})
}

func (p *pages) revokeLink(v *web.Visit) error {
	hash, err := hex.DecodeString(v.R.PathValue("hash"))
	if err != nil || len(hash) != 32 {
		return web.NotFound()
	}
	err = p.Links.RevokeLink(v.Context(), [32]byte(hash), v.By())
	if errors.Is(err, account.ErrLinkGone) {
		return v.Refused("/admin/users", "admin.link.gone")
	}
	return v.Stored(err, "/admin/users", "admin.link.revoked")
}

type oneTimeLinkView struct {
	Heading, Text string // keys
	Email         string
	Address       string
	ExpiresAt     int64
	Back          string
}

// createLink creates a link with the purpose of sought and for the same person, and answers with
// the page that shows it, once. The detail goes to the audit log.
func (p *pages) createLink(v *web.Visit, sought account.Link, detail string, view oneTimeLinkView) error {
	by := v.ByWith(detail)
	link, token, err := account.NewLink(sought.Purpose, by, p.site.Rand)
	if err != nil {
		return err
	}
	link.UserID, link.Email, link.Admin = sought.UserID, sought.Email, sought.Admin
	if err := p.Links.SaveLink(v.Context(), link, by); err != nil {
		return web.DatabaseError(err)
	}
	view.Address = signin.LinkAddress(p.site.PublicURL, link.Purpose, token)
	view.ExpiresAt = link.ExpiresAt
	return v.Render(http.StatusOK, "admin-link", view)
}

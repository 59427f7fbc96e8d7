package web

import "net/http"

// Audience is who may open a page.
type Audience uint8

// The audiences.
const (
	Anyone   Audience = iota
	SignedIn          // others are sent to the sign-in
	Admins            // other users are refused
)

// Route is a row of the route table.
type Route struct {
	Pattern  string // of net/http's ServeMux, with its method
	Audience Audience
	Handle   func(*Visit) error
}

// admit returns why the visitor may not use the route, or nil.
func (rt Route) admit(v *Visit) error {
	switch {
	case rt.Audience != Anyone && v.User == nil:
		return &Problem{Status: http.StatusUnauthorized, Message: "error.sign-in", signIn: true}
	case rt.Audience == Admins && !v.User.Admin:
		return &Problem{Status: http.StatusForbidden, Message: "error.admins-only"}
	}
	return nil
}

package dashboard

import (
	"net/http"
	"slices"
)

// audience is who may ask for a page.
type audience uint8

const (
	anyone   audience = iota
	signedIn          // others are led to the sign-in
	admins            // others are refused
)

// route is one row of the route table.
type route struct {
	pattern string // of net/http's ServeMux, with its method
	who     audience
	handle  func(*Dashboard, *visit) error
}

// routes is the route table: what it does not name is 404.
func routes() []route {
	return slices.Concat(homeRoutes(), signInRoutes(), joinRoutes(), profileRoutes(), oidcRoutes(),
		keyRoutes(), usageRoutes(), exploreRoutes(), statusRoutes(), adminRoutes())
}

// admit says why a visitor may not have a route; nil if he may.
func (d *Dashboard) admit(rt route, v *visit) error {
	switch {
	case rt.who != anyone && v.User == nil:
		return &problem{status: http.StatusUnauthorized, message: "error.sign-in", signIn: true}
	case rt.who == admins && !v.User.Admin:
		return &problem{status: http.StatusForbidden, message: "error.admins-only"}
	}
	return nil
}

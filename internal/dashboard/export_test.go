package dashboard

import "strings"

// Route is a row of the route table, for tests that go over all of it.
type Route struct {
	Method, Path string
	SignedIn     bool // others are led to the sign-in
	Admins       bool // other users are refused
}

// Routes are all there are.
func Routes() []Route {
	var rows []Route
	for _, rt := range routes() {
		method, path, _ := strings.Cut(rt.pattern, " ")
		rows = append(rows, Route{method, path, rt.who != anyone, rt.who == admins})
	}
	return rows
}

// Package dashboard is the part of the service that people see: pages made on
// the server, for those who own keys and those who run the place.
//
//	request ─ headers, cross-origin check ─ session ─► visit{user, language}
//	                                                      │
//	  routes(): pattern, who may, handler ◄───────────────┘
//	     │ asks Store, Passwords, Counter, Live, Catalog
//	     ▼
//	  view (plain values) ─► templates/NAME.html in layout.html ─► answer
//
// Every page works without its script, which only shortens the way: local
// times, copying, suggestions. A handler returns an error instead of writing
// one; [Dashboard.fail] alone turns errors into pages.
//
// What a browser may load is this server and, for covers, the hosts that the
// operator named. User text reaches pages through html/template alone.
//
// The package refuses to know SQL, the listing format and the wire: the
// explorer asks the same API that clients ask, through an http.Handler, and
// shows what it answered.
package dashboard

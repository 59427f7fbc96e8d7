// Package dashboard puts together the part of the service that people see: pages
// made on the server, for users with keys and for administrators.
//
//	web        the frame: routes, sessions, rendering, messages, assets
//	signin     sign-in, sign-up, one-time links, OpenID Connect, profile
//	keys       a user's own keys and their usage
//	webhooks   a user's own webhooks
//	home       the first page
//	browse     the list of games, and search
//	deals      discounts
//	game       a card with its prices
//	explore    what these four share; they show what the API answers
//	sitemap    robots.txt and the sitemap of the public pages
//	reference  how to use the API: guides, endpoints, a form that sends a request
//	status     how fresh everything is
//	admin      users, all keys and webhooks, platforms, audit log; it uses keys, webhooks and status
//	chart      positions of the parts of a chart; keys and game use it
//	openid     sign-in with a provider; signin uses it
//
// Each page package declares the repository methods that it needs, registers its routes
// with their audience, and has its own templates. A new page needs:
//
//   - its package, whose New registers the route: see web.Site.Handle and HandleCatalog;
//   - a call of New in dashboard.go;
//   - its link in web/templates/part-frame.html, and its texts in web/messages in all languages;
//   - its address in package sitemap: among the pages if it is public, otherwise in robots;
//   - its imports in internal/deps_test.go.
//
// The package does not know SQL, the index, the listing format or the wire format: what pages show
// of the catalog is in the API's answers (decision 12).
package dashboard

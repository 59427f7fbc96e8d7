// Package web is the frame that all pages of the dashboard share.
//
//	request ─ headers, cross-origin check ─ session ─► Visit{User, language}
//	                                                       │
//	  Route: pattern, audience, handler ◄──────────────────┘
//	     │
//	     ▼
//	  Visit.Render: view ─► templates/NAME.html in layout.html ─► response
//
// A page package registers its routes with [Site.Handle], pages of the catalog with
// [Site.HandleCatalog]. A handler returns an
// error instead of writing one: the site alone turns errors into pages, and a
// [Problem] is an error that the visitor may read.
//
// Every page works without the script, which only adds comfort: local times,
// copy buttons, suggestions. A page may load what this server has and, for
// covers, pictures from the hosts in [Config]. Text reaches pages through
// html/template, and in rows that a page has many of through [Markup], which takes a
// fraction of the time.
//
// Public pages have limits for each network (an IPv4 address or a /64) and for all of them
// together, per minute and process: see [PublicLimits].
//
// The frame holds what every page needs: the layout, the style and the script,
// and the messages in all languages. The templates of a page are in its
// package's folder. This package does not know what any page shows.
package web

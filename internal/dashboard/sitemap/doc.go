// Package sitemap tells search engines which public pages there are: robots.txt, and a
// sitemap of all games, the last changed first.
//
//	overview.Catalog ─► order of the cards by change, kept while the view stays ─► /sitemap.xml: a list of parts
//	                                                                           └─► /sitemap.xml?part=games-1: addresses
//
// Parts are at the root of the site, because a sitemap may name only what is below its own folder.
package sitemap

// Package consolestore reads the console store: it sends persisted GraphQL queries and
// converts the answers into parts of listings.
//
//	prices    category grid ─► price texts of all games; names the items below
//	editions  game          ─► its products with exact prices; names details
//	addons    game          ─► its add-ons, mostly with price texts; names details
//	details   product       ─► type, names, date, genres, rating, popularity
//	titles    category grid ─► names in a region's other languages
//
//	Store.Read ─► upstream.Client ─► answer ─► sweep.Page{Parts, Present, Items, Next}
//
// A price is the price for everybody. The types of the actions and flags distinguish
// trials and subscribers' offers; texts never do, because they are in the region's
// language. Numbers are hundredths; a number that contradicts its text is doubtful.
//
// The package refuses an answer without the requested data (an empty region is an error,
// never an empty page), an answer about something else, and an answer in the currency of
// another region. It omits a single invalid entry and marks the page as interrupted. All
// hosts, hashes and categories come from the operator's [Profile]. The package never
// signs in, and fetches no web pages and no pictures.
package consolestore

// Package consolestore reads the console store: persisted GraphQL questions
// and what their answers mean as parts of listings.
//
//	prices    category grid ─► what each game costs, in words; names the items below
//	editions  game          ─► its products with exact prices; names details
//	addons    game          ─► its add-ons, their prices mostly in words; names details
//	details   product       ─► type, names, date, genres, rating, popularity
//	titles    category grid ─► names in a region's further languages
//
//	Store.Read ─► upstream.Client ─► answer ─► catalog.Page{Parts, Present, Items, Next}
//
// A price is what everybody pays. Trials and subscribers' offers are told apart
// by the types of the actions and by flags, never by words, which are in the
// region's language. Numbers are hundredths; one that contradicts the text
// beside it is passed on as doubtful.
//
// The package refuses: an answer without what was asked for (an empty region is
// an error, never an empty page), an answer about something else, an answer in
// another region's currency. A single entry that makes no sense is left out,
// and the page is interrupted. It knows no host, hash or category: all come from the
// operator's [Profile]. It logs in nowhere, and fetches neither pages nor
// pictures.
package consolestore

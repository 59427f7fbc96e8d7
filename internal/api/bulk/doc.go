// Package bulk finds and encodes bulk prices: what up to a thousand games cost
// in each region.
//
//	Params, View, now ─► Answer.Find ─► cards, ids not found ─► Tag
//	                                          │
//	                                          ▼
//	                     Answer.Encode: card by card, row by row ─► respond.Body
//
// A thousand games in four regions are four thousand rows, so this is the one
// answer whose encoding takes time. Rows are read from the packed tables of the
// index and appended as text; nothing is built in between.
//
//   - Rows of a region with equal prices share the text of the price, which is kept
//     for later answers from the same view (prices.go).
//   - Where the answer is compressed with gzip, match hints say which earlier
//     part of the answer each part is likely to repeat (hints.go).
//   - Cards are prefetched a few cards ahead.
//   - Items of games that are often asked for are kept, encoded and with their hints (cache.go).
//
// A new field or block of a card is appended in openItem or closeItem, one of a row in appendRow, an optional
// block of a region in appendBlocks. formatPrice may append only what priceKey and the view determine.
// Answer.Tag and Cache.form must cover the new value, unless the revs of cards do (index/pack/revs.go). A field
// that is in every answer also needs a higher wireVersion in package api, so that tags of answers without it no
// longer match. Every field is in openapi.yaml. Package catalog says how a new value of a price gets into the rows.
//
// Whatever items show of a card must be part of the hash in index/pack/changes.go: otherwise
// changedSince leaves out games in which it changed. What all items depend on is in
// [Cursor].Form.
//
// Lists of other packages show region prices as bulk prices do: with AppendRow and
// AppendLows, after Begin.
//
// An [Answer] is reused for later requests, so that a request allocates next to
// nothing.
//
// # What it refuses
//
// It sees no request: package api reads the parameters, answers 304 and appends
// the envelope around these members.
package bulk

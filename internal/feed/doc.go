// Package feed reads, checks and writes listings in the feed format: NDJSON, one
// listing per line (doc/feed.md), plain or compressed with gzip or zstd. It also reads
// tables in CSV; package table makes a JSON object of each row. HistoryReader and
// HistoryWriter do the same for past prices. Package importer opens inputs and saves what
// the readers return.
//
//	Reader: unpack ─► lines ─► jsontext ─► member tables ─► Check ─► catalog.Listing
//	                                         connectors ──────┘            │
//	Writer ◄───────────────────────────────────────────────────────────────┘
//
// Check has all rules for listings from any source; the member tables have only names
// and JSON types. Reader reads a line of Writer as the same value.
//
// A Reader refuses a line that breaks a rule with its number, field and reason, and can
// read on after it. The memory is bounded for any input: it skips a line over 1 MiB
// without keeping it, and refuses a zstd window over 128 MiB.
//
// The package refuses to guess: it accepts no repeated key, no fraction of hundredths
// and no JSON type other than that in the table.
package feed

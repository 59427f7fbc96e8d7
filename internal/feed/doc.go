// Package feed reads, checks and writes listings in the feed format: NDJSON,
// one listing a line (doc/feed.md), plain or packed with gzip or zstd.
//
//	Open ─► Reader: unpack ─► lines ─► jsontext ─► member tables ─► Check ─► catalog.Listing
//	                                                 connectors ──────┘            │
//	Import: batches of Reader ─► (Prepare ─►) Save ─► withdraw what is missing     │
//	Writer ◄───────────────────────────────────────────────────────────────────────┘
//
// Check holds every rule about a listing, wherever the listing comes from; the
// member tables only know names and JSON types. What Writer writes, Reader
// reads back to the same value.
//
// A line that breaks a rule is refused with its number, field and reason, and
// reading goes on. Memory stays bounded whatever the input: a line over 1 MiB
// is skipped without being kept, and a zstd window over 128 MiB is refused. The
// package refuses to guess: no key twice, no fraction where hundredths are
// wanted, no type but the one in the table.
package feed

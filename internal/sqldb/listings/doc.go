// Package listings holds the SQL of listings: saving and reading them, their
// content, their prices and the ids that were served.
//
//	feed ──► (Prepare ─►) Save ─┐
//	sweeps ─► Saving ───────────┴─► listing + facts + prose   one generation a batch
//	build ◄── Read: Changes, NewFacts, NewProse               one consistent look
//
// A batch raises the one generation number and holds its row until commit, so
// generations become visible in order: a reader of generation g who asks for
// what came after it misses nothing. What most regions repeat of a listing
// (facts) and what only its card shows (prose) is stored once, by content.
//
// The package refuses to decide which line counts (catalog.Supersede) and which
// sweep owns a listing (package sweep).
package listings

// Package historytest is test-only: what the steps of a listing say about its price, found by
// walking its whole past, and how answers of the API show it.
//
//	[]history.Step ─► Summarize: cell by cell ─► history.Summary ─► Shown: the JSON of lows
//	              └─► FormerRow: a row of the former version
//
// The tests of packages history and builder, and those of the program, compare with it what
// is computed from encoded rows, snapshots and answers.
//
// The package refuses to share code with what it checks: it uses only the values of package
// history.
package historytest

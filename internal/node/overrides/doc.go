// Package overrides knows where the operator's overrides are, and reads them anew when
// they change.
//
//	overrides.ndjson beside a database in a file ─┐
//	a row of a database on a server ──────────────┴─► Location ─Read, Watch─► override.Set
//	gamedex overrides import FILE ─► Import ─► the row, in one transaction
//
// Several machines share a database on a server. A file on each of them could differ, and
// their builders would undo each other's work.
//
// The package refuses to know what a rule means: package catalog/override does.
package overrides

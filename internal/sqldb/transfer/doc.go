// Package transfer copies a whole database into an empty one, of the same engine or
// another.
//
//	from ─► one snapshot ─► each table of the catalog ─► one transaction ─► to
//	                        all columns, row by row      all or nothing
//
// It walks over the tables that the engines' catalogs name, so that a new table is
// copied without a change here. Only what belongs to the processes of a database stays
// behind: leases, the list of nodes, and the database's id. The copy has an id or an
// epoch of its own: both databases can stay in use, and their snapshots are never
// confused.
//
// Memory is bounded: rows pass through one at a time, or in batches of some hundred.
//
// The package refuses a database that is not empty, and one with another schema.
package transfer

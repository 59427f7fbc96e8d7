// Package nodes holds the SQL by which processes work together: leases, the marks
// of imports at work, the number of the newest publication, the stored exchange
// rates, overrides of platform states, and the pace of requests to a host.
//
//	lease.Holder, build, rates, upstream ─► Store ─► sqldb.DB.Write
//
// The package refuses to decide who may claim a lease: package lease does.
package nodes

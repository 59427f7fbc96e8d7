// Package database opens the database with all its stores. Commands, nodes and tests
// open it here and pass each part of the program the store that it needs.
//
//	Open ─► DB ─┬─ the engine (sqldb): files, transactions, backup
//	            ├─ Listings: listings, prices, content
//	            ├─ Sweeps:   jobs, progress, items
//	            ├─ Accounts: users, keys, usage, sessions, links, audit
//	            └─ Nodes:    leases, publication, rates, platforms
//
// The package refuses to hold statements or rules.
package database

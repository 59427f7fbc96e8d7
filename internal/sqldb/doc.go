// Package sqldb opens the database with its statements by subject. Commands, nodes and tests
// open it here and pass each part of the program what it needs.
//
//	Open ─► DB ─┬─ the engine: files, transactions, backup
//	            ├─ Listings: listings, prices, content
//	            ├─ Sweeps:   jobs, progress, items
//	            ├─ Accounts: users, keys, usage, sessions, links, audit
//	            ├─ Nodes:    leases, publication, rates, platforms
//	            └─ Webhooks: subscriptions, what was sent of them
//
// The package has no statements or rules of its own.
package sqldb

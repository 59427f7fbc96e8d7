// Package engine runs statements on a database engine: it runs transactions, and keeps
// what depends on the engine out of the statements.
//
//	listings, sweeps, accounts, nodes, webhooks: the statements, one package per subject
//	                 │
//	DB ─┬─ Write(Tx)     a transaction, on disk when it returns
//	    ├─ Read(Querier) one consistent snapshot
//	    ├─ Query         outside a transaction
//	    └─ Check, Erase
//	                 │
//	Engine, Conn: what engines differ in ◄── sqlite, postgres
//
// A statement is written once, in the SQL that SQLite and PostgreSQL share: $n for
// arguments, "= ANY($n)" for a list, an Insert or an Update for many rows.
//
// Transactions lock what they share with others in this order, and rows of one table in
// the order of their keys, so that they do not deadlock:
//
//	1  counter person_change   users, links, identities
//	2  counter key_change      keys
//	3  counter webhook_change  webhooks, as the API changes them
//	4  leases, by name         the check of a lease reads its row FOR UPDATE
//	5  platforms               Lock: the comparison of a batch's prices with other regions
//	6  regions                 Lock, by platform and region: listings, their prices
//	7  counters facts, prose   contents
//	8  counter generation      the listings of a batch
//	9  saved_total             Lock
//	10 counter audit           audit entries
//
// Usage is stored in transactions of its own: the row of the run, then usage by key. So are
// the row of a webhook and what belongs to it, the row of a node, and the table of rates: the present one, then that of its day.
//
// A transaction reads what it decides on after it has locked it. SQLite has one
// writer, so there its Lock does nothing.
//
// The package refuses to know what the tables mean, which engines there are, and to
// read the clock.
package engine

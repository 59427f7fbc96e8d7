// Package sqldb is where statements meet an engine: it runs transactions, and keeps
// what depends on the engine out of the statements.
//
//	listings, sweeps, accounts, nodes: the statements, one package per subject
//	                 │
//	DB ─┬─ Write(Tx)     a transaction, on disk when it returns
//	    ├─ Read(ReadTx)  one consistent snapshot
//	    ├─ Query         outside a transaction
//	    └─ Check, Erase
//	                 │
//	Engine, Conn: what engines differ in ◄── sqlite
//
// A statement is written once, in the SQL that SQLite and PostgreSQL share: $n for
// arguments, "= ANY($n)" for a list, an Insert or an Update for many rows.
//
// The package refuses to know what the tables mean, which engines there are, and to
// read the clock.
package sqldb

// Package sqldb is the SQLite engine: it opens the file, runs transactions, and
// keeps what depends on the engine out of the statements.
//
//	Open ─► DB ─┬─ Write(Tx)     one transaction at a time, on disk when it returns
//	            ├─ Read(ReadTx)  one consistent snapshot
//	            ├─ Query         outside a transaction
//	            ├─ Trouble       why nothing can be written: a full disk
//	            └─ Backup, Check, Join, LockCounters, migrations
//
//	listings, sweeps, accounts, nodes: the statements, one package per subject
//
// The engine is SQLite in WAL mode: one connection writes, several read, and
// several processes may do so at once. PostgreSQL accepts the statements too,
// except those for bulk work: their placeholders are ?, because this driver is
// slow with $n, and PostgreSQL needs $n.
//
// The package refuses to know what the tables mean, to read the clock, to open a
// file that is not a complete gamedex database, and to create one without the
// option.
package sqldb

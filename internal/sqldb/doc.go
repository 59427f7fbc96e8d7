// Package sqldb is the SQLite engine: it opens the file, runs transactions, and
// keeps what depends on the engine out of the statements.
//
//	Open ─► DB ─┬─ Write(Tx)     one transaction at a time, on disk when it returns
//	            ├─ Read(ReadTx)  one consistent look
//	            ├─ Query         outside any transaction
//	            └─ Backup, Check, Join, LockCounters, migrations
//
//	listings, sweeps, accounts, nodes: the statements, a package a subject
//
// The engine is SQLite in WAL mode: one connection writes, several read, and
// several processes may do so at once. The statements keep to what PostgreSQL
// takes too, but for bulk ones: their placeholders are ?, because this driver
// searches $n one by one, and have to be numbered for an engine that wants it.
//
// The package refuses to know what is stored, to read the clock, to open a file
// that is not a whole gamedex database, and to make one unless asked.
package sqldb

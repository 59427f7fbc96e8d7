// Package sqlite is the SQLite engine of sqldb: a file in WAL mode. One connection
// writes, several read, and several processes may do so at once.
//
//	Open ─► DB ─┬─ Write(Conn)    one transaction at a time, on disk when it returns
//	            ├─ Read, Query    snapshots, beside the writer
//	            ├─ Trouble        why nothing can be written: a full disk
//	            └─ Backup, Join, LockCounters, migrations
//
//	text of sqldb ─► compile ─► text with ?, cached
//	              ─► preparedConn: each connection prepares a text once
//
// The driver is slow with numbered arguments and with many: statements get ? in
// the order of the text, a list is one argument in JSON, and bulk work runs prepared
// statements, one or a few rows at a time.
//
// The package refuses to know what the tables mean, to open a file that is not a
// complete gamedex database, and to create one without the option.
package sqlite

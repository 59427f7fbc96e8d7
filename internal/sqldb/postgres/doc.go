// Package postgres is the PostgreSQL engine, for databases that several machines use.
//
//	Open ─► DB ─┬─ Write(Conn)  READ COMMITTED; again after a deadlock
//	            ├─ Read         REPEATABLE READ, read only: one snapshot
//	            ├─ Query        outside a transaction
//	            └─ migrations   under a lock in a table
//
//	Conn: lists are arrays ─ rows of InsertRows and UpdateRows are unnest(arrays), and one
//	      argument for each column that is the same in all
//	      a list of keys is looked up key by key, whatever the statistics say
//	      Lock is an advisory lock of the transaction ─ Now is the server's clock
//
// It keeps no state in sessions that others get, so that it works behind PgBouncer in
// transaction mode: limits are set in each transaction, locks end with theirs, and
// statements have names only where the session is the connection's own. Several hosts in the DSN with target_session_attrs=read-write find
// the primary after a failover. A server on an older timeline than this process has seen is
// refused.
//
// Everything has a limit, also where a server accepts connections and answers nothing. An
// idle connection must answer before it is used; if it does not, all are closed. A
// connection that broke leaves the pool at once.
//
// A transaction that the server ended because of a deadlock is run again, as nothing
// was committed. A commit whose answer got lost is an error, and never repeated.
//
// The package refuses a server older than version 15, a standby, an encoding other
// than UTF8, a schema with tables of another program, and to name a password.
package postgres

// Package instead measures what one would build instead of packed rows: ready
// documents in Redis, rows in SQLite and structs from them, JSON made by
// PostgreSQL. One request at a time, all warm; the servers over unix sockets,
// each with its client's prepared way. PostgreSQL's plan is looked at.
package instead

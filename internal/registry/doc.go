// Package registry keeps the list of the processes that serve from one database, its
// nodes.
//
//	Registrar.Run, every 5 s ──Beat──► Repository: a row for each node
//	    ▲                                │ seen, by the database's clock
//	    └──────────── List ◄─────────────┘
//	         │
//	         ├─ Count: how many nodes of a role are live
//	         ├─ Disagreements: settings that should be the same everywhere, and the epoch
//	         ├─ SharedNames: names that several live nodes have
//	         ├─ Damaged: files in the bucket that live nodes cannot use
//	         ├─ Behind: what this node should serve by now, as others do
//	         ├─ Ahead: how far the own clock is off
//	         └─ Now: the time by the database's clock
//	               └─► log, warnings, metrics, the status page, gamedex nodes
//
// A node is live if it was seen within the last 15 seconds, by the database's clock. A
// node that stops removes its row. The row of one that was killed stays for a day, so
// that an operator sees what is missing.
//
// The package decides nothing by the list: nobody is elected, and no work is
// handed out. What only one process may do is decided by package lease.
package registry

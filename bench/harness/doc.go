// Package harness runs measurements: it makes catalogs with the program itself,
// starts servers, puts load on them and compares the results.
//
//	sample ─► Catalog ─► Service, Handler, Builder ────────────┐
//	             └─► Cluster: builder, nodes, PostgreSQL, ... ─┤
//	             nginx, Redis, package servers ────────────────┴─► Candidate ─► Rounds ─► Results
//
// All candidates of a comparison run in every round, in random order, and ratios
// are taken within a round. The absolute speed of a shared machine drifts from
// minute to minute; two results that are seconds apart can still be compared.
//
// The first metric of a server is [CPU], the time that its processes use for a
// request. The request rate comes second, because the load generator shares the
// machine.
//
// All servers listen on the loopback interface or on Unix sockets, and stop at
// the end of the run.
package harness

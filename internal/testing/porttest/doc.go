// Package porttest gives tests ports of 127.0.0.1 that nobody else can take.
//
//	Reserve, Addr ─► a port for a server that cannot choose one itself
//	Closed        ─► an address that refuses connections
//
// A port that was free before may be taken by another test that runs at the same
// time. These ports have a socket that is bound and does not listen, so connections are
// refused, and the system gives the port to nobody else. A program that can listen on port
// 0 and tell its port needs no reserved one.
package porttest

// Package node runs one gamedex process: it wires the database, the snapshots,
// the collectors, the builder, the API and the dashboard together and runs them
// until its context ends.
//
//	collect role   stores, exchange rates ─► database
//	build role     database ─► snapshot ─► bucket; bucket ─► webhooks
//	api role       bucket ─► API, dashboard, reference
//	every role     operations listener, key cache, usage flush, maintenance
//
// The package reads no flags and no environment: package main makes a Config
// from them. What the commands share with a running node (an operator's profile, rate
// providers, overrides, keys and users) is exported here.
package node

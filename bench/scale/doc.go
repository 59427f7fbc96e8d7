// Command scale simulates what arithmetic does not show, for doc/scale.md:
//
//	go run ./scale [-seed N] [-days N]
//
//	limits   50 nodes, one key, a counter server that comes and goes:
//	         requests ─► node ─► server (quota.Pair.Take) or its share (TakeShare) ─► passed a minute
//	publish  up to 1,000 nodes read a new snapshot from one bucket:
//	         poll ─► manifest ─► blobs, at a share of the bucket's bandwidth ─► open
//
// The rules of the limits are those of package quota; the network and the clock are
// simulated. A seed gives the same tables again, and a test compares them with
// doc/scale.md.
package main

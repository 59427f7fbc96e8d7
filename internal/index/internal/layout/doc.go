// Package layout is the format of the blobs of a snapshot: what
// index/pack writes and index reads.
//
//	catalog: meta strings cards offers texts links ids keys moved ranking search/…
//	prices:  meta strings rows card-rows offer-rows points extras ends revs currencies
//	lows:    meta moments changed ranks lengths places records, of one region
//
// It has the names of sections, the fields of records, the hash table of keys. It
// opens and checks the blobs, which packing reads again, but not the search index.
//
// It refuses a blob with any wrong length, number or reference by section name
// ([snapshot.DamageError]). It does not know cards or how they are merged.
package layout

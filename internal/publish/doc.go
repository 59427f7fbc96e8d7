// Package publish writes snapshots to a bucket, and follows the newest one.
//
//	Publisher ─► bucket: blob/<hash>…, manifest/<seq> ─► Cache ─► Follower ─► index.View ─► index.Live
//	    └── database: publication number ────────────────────────────┘
//
// A manifest names everything that a node needs: the blobs of a snapshot, rates
// and platform states. It is small, numbered and never changes. The highest
// intact one is in force; a follower never goes back to a lower one. The
// database's publication number decides which of two publishers is ahead: one
// that lost its lease unnoticed writes nothing. A follower may ask for that number
// instead of listing the bucket; a cache in a folder spares a restart the blobs.
//
// It rejects a damaged manifest or blob, names it in the error and in Follower.Damage,
// and keeps the last good view. It does not decide what to publish when (package builder does),
// and it does not know which bucket it uses.
package publish

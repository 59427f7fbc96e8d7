// Package publish has the manifests that say which snapshot is in force, and
// follows them.
//
//	bucket: manifest/<seq> ─► Latest, ReadManifest ─► Manifest{blobs, rates, states, inputs}
//	        blob/…         ─► Follower ─► index.View ─► index.Live
//
// A manifest is small, numbered and never changes. The highest intact one is in
// force; a follower never goes back to a lower one.
//
// It refuses a manifest or blob that is damaged, with its name, and keeps the
// last good view. It does not decide what is published when (build does), and it
// does not know which bucket it reads.
package publish

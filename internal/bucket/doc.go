// Package bucket keeps named immutable blobs: what a builder writes once and
// every node reads.
//
//	Put(name, bytes) ──► temporary file, fsync ──link──► dir/name, fsync dir
//	Get, List, Delete ◄──────────────────────────────────┘
//
// A blob appears whole or not at all, and never changes: Put refuses a name
// that is there. [Folder] keeps blobs as files; other implementations pass the
// same behaviour suite, package buckettest.
//
// The package refuses to know what a blob means, and names that could leave
// its folder: see [CheckName].
package bucket

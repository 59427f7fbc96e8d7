// Package bucket stores named immutable blobs, which a builder writes once and every
// node reads.
//
//	Put(name, bytes) ──► temporary file, fsync ──link──► dir/name, fsync dir
//	Get, Walk, Delete ◄──────────────────────────────────┘
//
// A blob appears complete or not at all, and never changes: Put refuses a name that
// exists. [Folder] stores blobs as files; package bucket/s3 stores them in an S3 service.
// Package buckettest tests the behaviour of any implementation.
//
// The package refuses to know what a blob means. It refuses names that lead out of
// its folder: see [CheckName].
package bucket

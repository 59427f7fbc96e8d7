// Package buckets has a hash table in two sections of a snapshot: the numbers of terms
// by a hash. It does not store hashes, so that the caller compares the terms themselves.
package buckets

// Package s3 is a bucket in a service with the S3 interface.
//
//	Parse ─► Location ─► Open ─► Bucket
//	                               ├─ Put     zstd ─► one PUT, If-None-Match: * ─unclear─► HEAD: whose is it?
//	                               ├─ Get     ranges in parallel ─► one buffer of its size ─► zstd
//	                               ├─ Walk, Delete
//	                               └─ CheckRead, CheckWrite: can it work? With a sentence if not
//
// Objects are zstd frames, so they take a third of the space and of the time to read.
// Their checksum shows a damaged object. Requests whose answers are cut off, and lost PUTs,
// are retried. A folder keeps blobs as they are: its reader is on the same machine.
//
// The package refuses credentials in a location: it takes them from the environment,
// from the file of the AWS tools or from the role of the machine. It refuses a service
// that ignores conditions, because two builders could then overwrite each other's
// blobs.
package s3

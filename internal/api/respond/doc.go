// Package respond sends the answers of the API: buffers, chunks, compression,
// entity tags and the headers that go with them.
//
//	Tag ─► NotModified ─► 304
//	Accept-Encoding ─► Pool ─► Body ◄─ encoder appends ─► chunks ─► compressor ─► client
//
// # Chunks
//
// An encoder appends JSON to [Body].Buf and calls [Body.SendChunk] between its
// parts. An answer that fits one chunk, 256 KiB, goes out whole with its
// length. A larger one goes out in chunks while it is being encoded, so
// that an answer to a slow reader needs memory for one chunk and a compressor,
// however long it is. An answer that cannot be completed is cut off, so that it never
// looks complete.
//
// # Memory
//
// A [Pool] bounds the memory of all bodies and answers, and gives each owner at
// most a quarter: an owner who reads slowly blocks only their own requests. A quarter is kept for
// small answers. A request that waits a second for memory is refused. Package serve
// limits how long a client may take for a chunk, and for the whole.
//
// # Compression
//
// zstd and gzip search for repetitions. If the encoder knows where a large
// answer repeats itself, gzip uses its match hints instead (package deflate).
//
// # Entity tags
//
// A [Tag] is made from what an answer would be made of, before anything is
// encoded. It is weak and the same for all codings, so that a 304 costs lookups
// and a hash.
//
// # What it refuses
//
// It does not know routes, keys or error codes, and it appends no JSON.
package respond

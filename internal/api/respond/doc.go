// Package respond sends the answers of the API: buffers, chunks, compression,
// entity tags and the headers that go with them.
//
//	Tag ─► NotModified ─► 304
//	Accept-Encoding ─► Pool ─► Body ◄─ encoder appends ─► chunks ─► compressor ─► client
//
// # Chunks
//
// An encoder appends JSON to [Body].Buf and calls [Body.SendChunk] between its
// parts. An answer begins with room for 64 KiB, unless it is known to be large, and gets
// room for a chunk of 256 KiB when it needs it. One that fits goes out whole with its
// length. A larger one goes out in chunks while it is being encoded, so
// that an answer to a slow reader needs memory for one chunk and a compressor,
// however long it is. An answer that cannot be completed is cut off, so that it never
// looks complete.
//
// # Memory
//
// A [Pool] bounds the memory of all bodies and answers. A [Hold] is what one request has of it,
// on the account of the owner of its key and on that of its client's network. An owner has at
// most a quarter, or half with small holds, and a quarter is kept for small holds, so that they never wait behind large ones.
//
// When the rest is full, the memory is shared fairly (max-min): the next request is the one whose
// accounts would hold least. If another has an account that would still hold more, the hold
// of it that has most, and whose client took most time for a byte, is cut off. Accounts that both
// have do not count, so that those who share a network are compared by owner. Clients that
// kept their request waiting for less than half a second are spared. Those that take less
// than 64 KiB a second lose to everybody who has less than they have. A request that waits a
// second for memory is refused. Package serve limits how long a client may take for a
// chunk, and for the whole.
//
// Not counted is what a request only computes with: a compressor of a small answer, and its second
// buffer, are returned before the first byte is sent.
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

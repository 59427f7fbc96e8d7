// Package deflate writes gzip from text and match hints: the code that formats
// a text knows where its parts begin and which of them it wrote before, so the
// compressor does not search for repetitions.
//
//	AddHints(text, …) ─► where was the last hint with this key? ─► compare there and here ─► matches
//	Compress(text) ─► matches, literals ─► one block ─► gzip
//
// The caller compresses a text in chunks. Whenever it has appended to a chunk it calls
// [Writer.AddHints] with a [Hint] for each place where a part begins. Its key names the kind of
// part: a field name, a row of a region, a certain price. The text at each hint
// is compared with the text at the previous hint that had the same key. A match
// may be longer than the part: it ends at the first byte that differs. Text that
// no hint leads to is written as literals by [Writer.Compress].
//
// A wrong hint cannot corrupt the stream, because bytes are always compared.
// Keys may collide, and hints may be wrong, missing or redundant: that costs
// bytes or a comparison.
//
// # The stream
//
// One gzip member (RFC 1952) without name and time. Each chunk becomes a block
// of deflate (RFC 1951) in the shortest of three forms: with dynamic codes,
// with fixed codes, or stored. It has at most 16,384 matches; further hints
// have no effect. A match reaches up to 32 KiB back, also into earlier chunks.
//
// Chunks of one text are usually similar. So the codes of a block of 128 KiB or
// more are tried on the following blocks, which saves counting their symbols. A
// block is written again with new codes if it takes more than 8/7 of the bits
// per byte of text that the original block took.
//
// # Cost
//
// Time is linear in bytes and hints, plus about ten microseconds for each call
// of Compress. The slowest input has no hints, so that each byte is coded, and
// chunks so different that no codes can be reused.
//
// The stream is at most as long as the text, plus 6 bytes for each call of
// Compress and for each 65,535 bytes, plus 21 for header and end. A few calls
// with long chunks are better than many with short ones: dynamic codes take
// about 80 bytes a block.
//
// A [Writer] uses [Size] bytes of memory. It writes at most 64 KiB at a time.
//
// The package does not search for matches, so it is not a compressor for text
// without hints, and it has no levels.
package deflate

// Package deflate writes gzip from bytes and marks: whoever formats a text
// knows where its parts begin and which of them were written before, so nobody
// has to search for repetitions.
//
//	Mark(at, slot) ─► where did this slot begin last?
//	Compress(text) ─► compare there and here ─► matches, literals ─► one block ─► gzip
//
// A text is given in pieces. While a piece is being formatted, [Writer.Mark]
// notes that a part begins, and of which kind: its slot, a number that the
// caller gives to a field name, a row of a region, a certain price. [Writer.Compress]
// then compares each marked place with the one where the same slot began before,
// as far as they agree: over the part, the value behind it and the parts after
// that. What no mark leads to is written as it is.
//
// A mark is a guess and never believed: bytes are compared. So slots may
// collide, and marks may be wrong, missing or too many; that costs size or a
// look, never correctness.
//
// # The stream
//
// One gzip member (RFC 1952) without name and time. Each piece becomes a block
// of deflate (RFC 1951) in the shortest of three ways: with codes of its own,
// with the fixed ones, or stored. A piece of more than 512 KiB or with more than
// 6144 matches becomes several blocks. Matches reach 32 KiB back, into earlier
// pieces as well.
//
// Pieces of one text are mostly alike. So the codes of a block of 128 KiB and
// more serve the blocks behind it too, whose symbols need not be counted: each
// is written on trial, and done again with codes of its own if a byte of text
// takes more than 8/7 of what it took in the block that the codes were made for.
//
// # What it costs
//
// Time is linear in bytes and marks, with some ten microseconds for each call:
// bytes that are compared and agree become a match and are not looked at again,
// and bytes that do not agree end the look. The slowest input is one without
// marks, each byte of which is coded, with pieces so different that each trial
// fails.
//
// The stream is at most as long as the text and 6 bytes for each call of
// Compress and each 65,535 bytes, and 21 for header and end. Few calls with
// long pieces are better than many with short ones: codes cost about 80 bytes a
// block.
//
// A [Writer] holds [Size] bytes, whatever it is given; its output leaves in
// writes of at most 64 KiB.
//
// # What it refuses
//
// It does not search, so it is no compressor for texts that nobody marks, and
// it has no levels.
package deflate

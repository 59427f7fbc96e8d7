// Package snapshot reads and writes the immutable file that a builder writes once and
// every node opens: named sections after a checked table. Only the package that adds
// a section knows what it means.
//
//	Writer.Add ─► Bytes ─► (a blob in a bucket) ─► Open ─► Section
//	                                                  └──► U16s, U32s, U64s, Strings
//
// # The file
//
// Everything is little-endian.
//
//	 0  magic         8 bytes
//	 8  container     uint32   version of this layout
//	12  version       uint32   version of the contents of the sections
//	16  kind          16 bytes "catalog", "prices", ...; zero-padded
//	32  size          uint64   of the whole file, in bytes
//	40  count         uint32   of sections
//	44  zero          uint32
//	48  table         count times: name (32 bytes, zero-padded), offset uint64,
//	                  length uint64, CRC-32C uint32, zero uint32
//	 …  checksum      uint32   CRC-32C of everything before it
//	 …  sections, each at the next multiple of 8, zeros between them
//
// A file is one block of memory; a section is a slice of it, never a copy, and
// begins at a multiple of 8. The block must not be changed while it is in use:
// the strings of a [Strings] point into it.
//
// # What it refuses
//
// [Open] refuses a file of another kind or version, a truncated file, bytes after the
// last section, sections that overlap, leave a gap or are in another order than in
// the table, padding that is not zero, and a section with a wrong checksum. So Open
// refuses a file with any changed byte, and the error ([DamageError]) names the
// section. The typed readers refuse lengths that are not a multiple of the record
// size, and string tables whose offsets do not rise. A package that writes offsets
// from one section into another checks them when it opens its sections.
package snapshot

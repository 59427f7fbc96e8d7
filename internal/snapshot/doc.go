// Package snapshot is the immutable file that a builder writes once and every
// node opens: named sections behind a checked table. It knows no game; what a
// section means is the business of the package that added it.
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
//	12  version       uint32   version of what the sections mean
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
// [Open] refuses a file of another kind or version, a file cut short or with
// anything after its last section, sections that overlap, leave a gap or stand
// in another order than the table's, padding that is not zero, and any section
// whose checksum is wrong. So one changed byte anywhere is refused, and the
// error ([DamageError]) names the section. The typed readers refuse lengths
// that do not divide and string tables whose offsets do not rise; offsets that
// lead from one section into another are checked by the package that wrote
// them, when it opens its sections.
package snapshot

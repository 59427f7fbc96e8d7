// Package openindex measures how long a node needs from the bytes of a snapshot
// to an index that answers, with every checksum and bound checked, against
// decoding the same columns with encoding/gob; and what a region price takes in
// memory.
package openindex

// Package plain makes the answer of bulk prices as one writes it first: structs
// with pointers where null may stand, a map of regions, encoding/json.
package plain

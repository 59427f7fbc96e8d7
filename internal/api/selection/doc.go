// Package selection finds the games and regions that a request with a list of ids
// names, and appends the members of the answer that say what was asked for and
// what was found.
//
//	Params, View ─► Selection.Find ─► cards, regions, ids not found ─► Tag, members
//
// A [Selection] is reused for later requests, so that a request allocates next to
// nothing.
package selection

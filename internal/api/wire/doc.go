// Package wire appends the values of the JSON interface that cards, search
// results and bulk prices share: texts, numbers, timestamps, simple prices, lists
// and regions.
//
//	index.Card, index.Row, values ─► Append… ─► bytes
//
// Each function appends to a slice and returns the extended slice. None of them
// allocates if the slice has room, because an answer holds thousands of values.
//
// # What it refuses
//
// It does not know requests, headers or endpoints. What only one kind of answer
// shows is appended where that answer is made.
package wire

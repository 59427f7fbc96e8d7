// Package conditions watches what a process needs of its surroundings and what may change while
// it runs, such as the space on a disk or a setting of a server.
//
// Each condition is checked every ten seconds, on its own: a check that hangs holds up no other, and
// counts as failed until it answers. The log has a line when a condition begins to fail and
// one when it is over.
//
// The package corrects nothing. Package node decides what is checked.
package conditions

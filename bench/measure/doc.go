// Package measure compares candidates so that noise does not decide: all of
// them in one run, in a random order in each round, each ratio taken inside a
// round. Absolute figures of a shared machine drift from minute to minute; what
// two candidates did within seconds of one another does not.
//
//	[]Candidate ─► Rounds ─► Runs ─► Median, Spread, Ratio
//
// The first figure of a server is [CPU]: time of its processes for a request.
// Requests a second come second, because the load client shares the machine.
package measure

// Package sweeps holds the SQL of collecting: the jobs, how far their sweeps are,
// and the items that are to be read.
//
//	collect ─► BeginSweep
//	           SaveStep, SaveStep … ─► listings.Saving + progress + items, one transaction each
//	           FinishSweep ─► withdraws what the sweep owns and did not see
//
// The steps of a sweep are fenced: without the lease of the scope nothing is
// stored.
//
// The package refuses to decide how much a sweep may withdraw and what it owns:
// package sweep does.
package sweeps

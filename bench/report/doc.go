// Package report writes results: one table of all goals, and a section with the tables
// and pictures of each subject. A goal that was not met or not measured is reported as
// such.
package report

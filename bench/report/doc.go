// Package report writes results: a section for each subject, with its goals, its
// tables and its pictures. A goal that was not met or not measured is reported as
// such.
package report

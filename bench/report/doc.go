// Package report writes down what was measured: one section a subject, with its
// tables, its goals and whether they are met, and pictures of curves. Nothing
// is left out because it looks bad: a goal without a figure is written as not
// measured.
package report

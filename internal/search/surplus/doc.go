// Package surplus finds the words of a query that titles often do not have: platforms,
// stores, years of release, and words for editions and versions.
package surplus

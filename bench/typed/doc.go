// Package typed makes the questions that people type into a search field, of
// the titles of a catalog.
package typed

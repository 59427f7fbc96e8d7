// Package terms has the words of the search index, sorted, so that the words with a prefix
// are next to each other.
package terms

// Package endpoints compares small answers over HTTP with what nobody can do
// without: net/http around a handler that writes ready bytes, in a process of
// its own. Search is compared with search on bleve behind the same net/http,
// too, and the stack alone is told apart.
package endpoints

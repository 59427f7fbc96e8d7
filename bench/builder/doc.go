// Package builder runs the service's builder in this process, so that each
// build can be waited for and looked into, and makes small indexes of the
// sample for tests.
package builder

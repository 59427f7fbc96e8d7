// Package samples holds the code of the guides: each guide in each language, in a file that runs
// as it is. The Go ones are programs of their own, which the build ignores.
package samples

import "embed"

// Files are the samples. A file has the name of its guide. A test runs them.
//
//go:embed *.sh *.py *.mjs *.go
var Files embed.FS

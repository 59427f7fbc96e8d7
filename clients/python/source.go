// Package python has the client for Python, so that the service can hand it out.
package python

import _ "embed"

// Source is gamedex.py.
//
//go:embed gamedex.py
var Source string

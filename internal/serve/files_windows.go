package serve

import "math"

// maxFiles returns how many files the process may have open.
func maxFiles() uint64 { return math.MaxInt32 } // Windows has no limit

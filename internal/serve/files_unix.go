//go:build unix

package serve

import (
	"math"
	"syscall"
)

// maxFiles returns how many files the process may have open.
func maxFiles() uint64 {
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil {
		return math.MaxInt32
	}
	return uint64(files.Cur)
}

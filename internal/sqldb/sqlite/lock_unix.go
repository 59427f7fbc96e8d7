//go:build unix

package sqlite

import (
	"errors"
	"os"
	"syscall"
)

// aloneVFS is SQLite's file system for databases that only one process uses.
const aloneVFS = "unix-excl"

// lockFile locks the file and reports whether it could. A shared lock excludes an
// exclusive lock of another process; an exclusive lock excludes any lock.
func lockFile(f *os.File, shared bool) (bool, error) {
	how := syscall.LOCK_EX | syscall.LOCK_NB
	if shared {
		how = syscall.LOCK_SH | syscall.LOCK_NB
	}
	err := syscall.Flock(int(f.Fd()), how)
	if errors.Is(err, syscall.EWOULDBLOCK) || errors.Is(err, syscall.EINTR) {
		return false, nil
	}
	return err == nil, err
}

func unlockFile(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }

package sqlite

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// aloneVFS is empty: SQLite has no file system here for databases that only one
// process uses, so a database on a full disk cannot be opened.
const aloneVFS = ""

// lockFile locks the file and reports whether it could. A shared lock excludes an
// exclusive lock of another process; an exclusive lock excludes any lock.
func lockFile(f *os.File, shared bool) (bool, error) {
	how := uint32(windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY)
	if shared {
		how = windows.LOCKFILE_FAIL_IMMEDIATELY
		_ = unlockFile(f) // Windows cannot convert a lock; without one this does nothing
	}
	err := windows.LockFileEx(windows.Handle(f.Fd()), how, 0, 1, 0, new(windows.Overlapped))
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}

func unlockFile(f *os.File) error {
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, new(windows.Overlapped))
}

package sqldb

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lockFile takes the file for who opened it, if nobody has it.
func lockFile(f *os.File) (bool, error) {
	const how = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err := windows.LockFileEx(windows.Handle(f.Fd()), how, 0, 1, 0, new(windows.Overlapped))
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}

func unlockFile(f *os.File) error {
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, new(windows.Overlapped))
}

// shareFile takes the file together with others, if nobody has it alone; what
// was taken alone is shared from then on.
func shareFile(f *os.File) (bool, error) {
	_ = unlockFile(f) // a lock cannot be turned into another here; none is no harm
	const how = windows.LOCKFILE_FAIL_IMMEDIATELY
	err := windows.LockFileEx(windows.Handle(f.Fd()), how, 0, 1, 0, new(windows.Overlapped))
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}

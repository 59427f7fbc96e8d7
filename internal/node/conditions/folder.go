package conditions

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// probeName is the name of the file that Writable writes, and probeSize its size in bytes.
const (
	probeName = ".probe"
	probeSize = 64 << 10
)

// Writable returns a check that a file can be written in a folder; what names the folder. The check
// removes the file. Several processes may check one folder at once.
func Writable(what, dir string) func(context.Context) error {
	return func(context.Context) error {
		name := filepath.Join(dir, probeName)
		err := os.WriteFile(name, make([]byte, probeSize), 0o600)
		if gone := os.Remove(name); err == nil && !errors.Is(gone, fs.ErrNotExist) {
			err = gone
		}
		switch {
		case err == nil:
			return nil
		case errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("%s %s is gone: put it back", what, dir)
		case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
			return fmt.Errorf("%s %s cannot grow: the disk is full; free some space", what, dir)
		}
		return fmt.Errorf("%s %s cannot be written; check its permissions and its disk: %w", what, dir, err)
	}
}

// lowSpace is how much free space is low, on a disk that is not small; of a small one, a tenth is.
const lowSpace = 256 << 20

// Roomy returns a check that the disks of folders have free space.
func Roomy(dirs ...string) func(context.Context) error {
	return func(context.Context) error {
		for _, dir := range dirs {
			size, free, err := space(dir)
			if err == nil && free < min(lowSpace, size/10) {
				return fmt.Errorf("the disk of %s has little free space: %d MiB; when it is full, nothing can be saved", dir, free>>20)
			}
		}
		return nil // a folder that is gone is the matter of Writable
	}
}

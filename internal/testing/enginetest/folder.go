package enginetest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// NewFolder makes a folder for a server. Its path is short: a socket in it must not
// have more than about a hundred bytes.
func NewFolder() (string, error) { return newFolder("") }

// newFolder makes a folder for a server in another one; "" is that for temporary files.
func newFolder(parent string) (string, error) {
	dir, err := os.MkdirTemp(parent, "gamedex-engine-")
	if err != nil {
		return "", fmt.Errorf("make a folder for a server: %w", err)
	}
	if err := giveToServers(dir); err != nil {
		return "", errors.Join(err, os.RemoveAll(dir))
	}
	return filepath.Abs(dir)
}

// TempInMemory lets the tests of a package keep their files in memory where a file system in memory
// has room, so that databases wait for no disk. It is for TestMain, and changes nothing where TMPDIR
// is set.
func TempInMemory() error {
	folder := memory()
	if folder == "" || os.Getenv("TMPDIR") != "" {
		return nil
	}
	return os.Setenv("TMPDIR", folder)
}

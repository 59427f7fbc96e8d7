package node

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"gamedex/internal/catalog/merge"
)

// OverridesFile is the path of the operator's corrections, overrides.ndjson.
type OverridesFile string

// Read returns the file's overrides; a missing file has none.
func (f OverridesFile) Read() (merge.Overrides, error) {
	text, err := os.ReadFile(string(f))
	if errors.Is(err, fs.ErrNotExist) {
		return merge.Overrides{}, nil
	}
	if err != nil {
		return merge.Overrides{}, fmt.Errorf("read overrides: %w", err)
	}
	overrides, err := merge.ParseOverrides(text)
	if err != nil {
		return merge.Overrides{}, fmt.Errorf("overrides %s: %w", f, err)
	}
	return overrides, nil
}

// watch returns a reader that reads the file only when it changed.
func (f OverridesFile) watch() func() (merge.Overrides, error) {
	var (
		last  os.FileInfo
		value merge.Overrides
		fault error
	)
	return func() (merge.Overrides, error) {
		now, err := os.Stat(string(f))
		if err != nil {
			last = nil
			return f.Read()
		}
		if last == nil || !now.ModTime().Equal(last.ModTime()) || now.Size() != last.Size() {
			last = now
			value, fault = f.Read()
		}
		return value, fault
	}
}

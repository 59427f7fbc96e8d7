package node

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"gamedex/internal/catalog/override"
)

// OverridesFile is the path of the operator's corrections, overrides.ndjson.
type OverridesFile string

// Read returns the file's overrides; a missing file has none.
func (f OverridesFile) Read() (override.Set, error) {
	text, err := os.ReadFile(string(f))
	if errors.Is(err, fs.ErrNotExist) {
		return override.Set{}, nil
	}
	if err != nil {
		return override.Set{}, fmt.Errorf("read overrides: %w", err)
	}
	overrides, err := override.Parse(text)
	if err != nil {
		return override.Set{}, fmt.Errorf("overrides %s: %w", f, err)
	}
	return overrides, nil
}

// watch returns a reader that reads the file only when it changed.
func (f OverridesFile) watch() func() (override.Set, error) {
	var (
		last  os.FileInfo
		value override.Set
		fault error
	)
	return func() (override.Set, error) {
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

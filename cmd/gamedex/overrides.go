package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"gamedex/internal/catalog/merge"
)

// overridesFile is the operator's corrections: <data-dir>/overrides.ndjson.
type overridesFile string

// read reads the file as it is now; a file that is not there corrects nothing.
func (f overridesFile) read() (merge.Overrides, error) {
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
func (f overridesFile) watch() func() (merge.Overrides, error) {
	var (
		last  os.FileInfo
		value merge.Overrides
		fault error
	)
	return func() (merge.Overrides, error) {
		now, err := os.Stat(string(f))
		if err != nil {
			last = nil
			return f.read()
		}
		if last == nil || !now.ModTime().Equal(last.ModTime()) || now.Size() != last.Size() {
			last = now
			value, fault = f.read()
		}
		return value, fault
	}
}

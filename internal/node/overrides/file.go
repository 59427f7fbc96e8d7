package overrides

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"gamedex/internal/catalog/override"
)

// readFile returns a file's overrides; a missing file has none.
func readFile(file string) (override.Set, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return override.Set{}, nil
	}
	if err != nil {
		return override.Set{}, fmt.Errorf("read overrides: %w", err)
	}
	rules, err := override.Parse(text)
	if err != nil {
		return override.Set{}, fmt.Errorf("overrides %s: %w", file, err)
	}
	return rules, nil
}

// watchFile returns a reader that reads the file only when it changed.
func watchFile(file string) func(context.Context) (override.Set, error) {
	var (
		last  os.FileInfo
		value override.Set
		fault error
	)
	return func(context.Context) (override.Set, error) {
		now, err := os.Stat(file)
		if err != nil {
			last = nil
			return readFile(file)
		}
		if last == nil || !now.ModTime().Equal(last.ModTime()) || now.Size() != last.Size() {
			last = now
			value, fault = readFile(file)
		}
		return value, fault
	}
}

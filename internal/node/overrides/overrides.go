package overrides

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/catalog/override"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/nodes"
)

// Location says where the overrides are.
type Location struct {
	File     string // if Database is nil
	Database *nodes.Repository
}

// Of returns where the overrides of a database are: in the file, or, as machines that
// share a database share them too, in the database.
func Of(db *sqldb.DB, file string) Location {
	if db.File != nil {
		return Location{File: file}
	}
	return Location{Database: db.Nodes}
}

// String returns the place, for messages.
func (l Location) String() string {
	if l.Database == nil {
		return l.File
	}
	return "in the database"
}

// Read returns the overrides.
func (l Location) Read(ctx context.Context) (override.Set, error) {
	if l.Database == nil {
		return readFile(l.File)
	}
	rules, _, err := l.load(ctx)
	return rules, err
}

// load returns the overrides of the database. A version that cannot read those of a newer
// one does not know them: they are unavailable.
func (l Location) load(ctx context.Context) (rules override.Set, hash string, err error) {
	text, hash, err := l.Database.LoadOverrides(ctx)
	if err == nil {
		rules, err = override.Parse(text)
	}
	if err != nil {
		return override.Set{}, "", fmt.Errorf("%w: overrides in the database: %w", override.ErrUnavailable, err)
	}
	return rules, hash, nil
}

// lookEvery is how often the database is asked whether the overrides changed.
const lookEvery = time.Second

// Watch returns a function that returns the current overrides. It is for one goroutine,
// and reads them only when they changed.
func (l Location) Watch(now func() time.Time) func(context.Context) (override.Set, error) {
	if l.Database == nil {
		return watchFile(l.File)
	}
	var (
		rules  override.Set
		hash   string
		looked time.Time // zero: never, or without success
	)
	return func(ctx context.Context) (override.Set, error) {
		if age := now().Sub(looked); !looked.IsZero() && 0 <= age && age < lookEvery {
			return rules, nil
		}
		current, err := l.Database.OverridesHash(ctx)
		if err != nil {
			err = fmt.Errorf("%w: %w", override.ErrUnavailable, err)
		} else if looked.IsZero() || current != hash {
			rules, hash, err = l.load(ctx)
		}
		looked = now()
		if err != nil {
			looked = time.Time{}
		}
		return rules, err
	}
}

// MaxFile is the size of the largest file that Import accepts, in bytes.
const MaxFile = 16 << 20

// Import replaces all overrides of the database by those of a file, and returns how many
// they are. It changes nothing if any line is not valid.
func (l Location) Import(ctx context.Context, name string, text []byte, by account.By) (rules int, err error) {
	if l.Database == nil {
		return 0, l.edit()
	}
	if len(text) > MaxFile {
		return 0, fmt.Errorf("overrides %s: more than %d bytes", name, MaxFile)
	}
	set, err := override.Parse(text)
	if err != nil {
		return 0, fmt.Errorf("overrides %s: %w; nothing was changed: correct the file and import it again", name, err)
	}
	by.Detail = fmt.Sprintf("%d rules", set.Len())
	return set.Len(), l.Database.SaveOverrides(ctx, text, by)
}

// Export returns the file that was imported last; empty if there was none.
func (l Location) Export(ctx context.Context) ([]byte, error) {
	if l.Database == nil {
		return nil, l.edit()
	}
	text, _, err := l.Database.LoadOverrides(ctx)
	return text, err
}

func (l Location) edit() error {
	return errors.New("a database in a file has its overrides beside it: edit " + l.File)
}

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

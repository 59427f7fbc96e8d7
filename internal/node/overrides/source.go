package overrides

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/catalog/override"
	"gamedex/internal/sqldb"
)

// Store is the part of the database that keeps overrides.
type Store interface {
	SaveOverrides(ctx context.Context, file []byte, by account.By) error
	LoadOverrides(ctx context.Context) (file []byte, hash string, err error)
	OverridesHash(ctx context.Context) (hash string, err error)
}

// Source says where the overrides are.
type Source struct {
	File  string // if Store is nil
	Store Store
}

// Of returns where the overrides of a database are: in the file, or, as machines that
// share a database share them too, in the database.
func Of(db *sqldb.DB, file string) Source {
	if db.File != nil {
		return Source{File: file}
	}
	return Source{Store: db.Nodes}
}

// String returns the place, for messages.
func (s Source) String() string {
	if s.Store == nil {
		return s.File
	}
	return "in the database"
}

// Read returns the overrides.
func (s Source) Read(ctx context.Context) (override.Set, error) {
	if s.Store == nil {
		return readFile(s.File)
	}
	rules, _, err := s.load(ctx)
	return rules, err
}

// load returns the overrides of the database. A version that cannot read those of a newer
// one does not know them: they are unavailable.
func (s Source) load(ctx context.Context) (rules override.Set, hash string, err error) {
	text, hash, err := s.Store.LoadOverrides(ctx)
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
func (s Source) Watch(now func() time.Time) func(context.Context) (override.Set, error) {
	if s.Store == nil {
		return watchFile(s.File)
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
		current, err := s.Store.OverridesHash(ctx)
		if err != nil {
			err = fmt.Errorf("%w: %w", override.ErrUnavailable, err)
		} else if looked.IsZero() || current != hash {
			rules, hash, err = s.load(ctx)
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
func (s Source) Import(ctx context.Context, name string, text []byte, by account.By) (rules int, err error) {
	if s.Store == nil {
		return 0, s.edit()
	}
	if len(text) > MaxFile {
		return 0, fmt.Errorf("overrides %s: more than %d bytes", name, MaxFile)
	}
	set, err := override.Parse(text)
	if err != nil {
		return 0, fmt.Errorf("overrides %s: %w; nothing was changed: correct the file and import it again", name, err)
	}
	by.Detail = fmt.Sprintf("%d rules", set.Len())
	return set.Len(), s.Store.SaveOverrides(ctx, text, by)
}

// Export returns the file that was imported last; empty if there was none.
func (s Source) Export(ctx context.Context) ([]byte, error) {
	if s.Store == nil {
		return nil, s.edit()
	}
	text, _, err := s.Store.LoadOverrides(ctx)
	return text, err
}

func (s Source) edit() error {
	return errors.New("a database in a file has its overrides beside it: edit " + s.File)
}

package enginetest

import (
	"context"
	"fmt"
	"testing"
)

// NewDatabase makes an empty database until the test ends, and returns its name.
// options are further options of CREATE DATABASE. Its owner, and the role of
// [Postgres.OwnDSN], is not a superuser.
func (s *Postgres) NewDatabase(t testing.TB, options string) string {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	name := s.create(t, options)
	t.Cleanup(func() {
		if !s.hasEnded() {
			s.drop(t, name)
		}
	})
	return name
}

// create makes a database, while s.mu is locked.
func (s *Postgres) create(t testing.TB, options string) string {
	t.Helper()
	s.made++
	name := fmt.Sprintf("test_%d", s.made)
	s.Exec(t, "postgres", "CREATE DATABASE "+name+" OWNER "+owner+" "+options)
	return name
}

func (s *Postgres) drop(t testing.TB, name string) {
	t.Helper()
	s.Exec(t, "postgres", "DROP DATABASE "+name+" WITH (FORCE)")
}

// hasEnded reports whether the test has killed the server, which has nothing to remove then.
func (s *Postgres) hasEnded() bool {
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}

// CopyDatabase is NewDatabase with the content of a template. The first call for a
// template makes it: prepare fills the empty database of a DSN and closes all
// connections to it. The database may be one that another test has used, which has
// nothing left of that.
func (s *Postgres) CopyDatabase(t testing.TB, name string, prepare func(dsn string) error) string {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	from, err := s.template(name, prepare)
	if err != nil {
		t.Fatalf("make template %s: %v", name, err)
	}
	var database string
	if last := len(from.free) - 1; last >= 0 {
		database, from.free = from.free[last], from.free[:last]
	} else {
		database = s.create(t, "TEMPLATE "+name+" STRATEGY FILE_COPY") // a third of the time of the other strategy
	}
	t.Cleanup(func() {
		if s.hasEnded() {
			return
		}
		if err := s.clean(context.Background(), database, from); err != nil {
			s.drop(t, database)
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		from.free = append(from.free, database)
	})
	return database
}

// template returns a template, and makes it before the first time, while s.mu is locked.
func (s *Postgres) template(name string, prepare func(dsn string) error) (*template, error) {
	if t := s.templates[name]; t != nil {
		return t, nil
	}
	err := s.exec(context.Background(), "postgres", "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)", "CREATE DATABASE "+name+" OWNER "+owner)
	if err == nil {
		err = prepare(s.OwnDSN(name))
	}
	if err != nil {
		return nil, err
	}
	t, err := s.inspect(context.Background(), name)
	if err == nil {
		s.templates[name] = t
	}
	return t, err
}

// OwnDSN returns the DSN of a database for its owner.
func (s *Postgres) OwnDSN(database string) string { return s.DSN(database, owner) }

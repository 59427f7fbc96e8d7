package enginetest

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// NewStandby starts a standby of the server until the test ends, which follows it
// without waiting for it.
func (s *Postgres) NewStandby(t testing.TB) *Postgres {
	t.Helper()
	b := forTest(t, memory(), func(dir string) (*Postgres, error) {
		b, err := newPostgres(dir, s.settings)
		if err == nil {
			err = b.runTool("pg_basebackup", "--pgdata="+b.files(), "--write-recovery-conf", "--checkpoint=fast", "--no-sync",
				"--dbname="+s.DSN("", "postgres"))
		}
		if err == nil {
			err = b.run()
		}
		return b, err
	})
	s.awaitStandby(t, "state = 'streaming'")
	return b
}

// LeaveBehind stops the standby, which has everything that was committed so far, and
// nothing of what follows.
func (s *Postgres) LeaveBehind(t testing.TB, standby *Postgres) {
	t.Helper()
	s.WaitForStandby(t)
	// The first of these waits until the standby has it.
	s.Exec(t, "postgres", "CREATE TABLE reached ()", "ALTER SYSTEM RESET synchronous_standby_names", "SELECT pg_reload_conf()")
	if err := standby.Stop(); err != nil {
		t.Fatal(err)
	}
}

// WaitForStandby makes the server wait for its standby with each commit from now on.
func (s *Postgres) WaitForStandby(t testing.TB) {
	t.Helper()
	s.Exec(t, "postgres", "ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()")
	s.awaitStandby(t, "sync_state = 'sync'")
}

// awaitStandby waits until the server says this of its standby.
func (s *Postgres) awaitStandby(t testing.TB, condition string) {
	t.Helper()
	err := s.Await(func(ctx context.Context) error {
		return s.exec(ctx, "postgres", "SELECT 1 / count(*) FROM pg_stat_replication WHERE "+condition)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Promote makes a standby a server that is written to, and returns when it is one.
func (s *Postgres) Promote(t testing.TB) {
	t.Helper()
	s.Exec(t, "postgres", "SELECT 1 / pg_promote()::int")
}

// OneOf returns the DSN of a database for its owner, which lists several servers:
// clients are to find the one that is written to.
func OneOf(database string, servers ...*Postgres) string {
	var hosts []string
	for _, s := range servers {
		hosts = append(hosts, fmt.Sprintf("127.0.0.1:%d", s.Port))
	}
	return "postgres://" + owner + "@" + strings.Join(hosts, ",") + "/" + database + "?target_session_attrs=read-write"
}

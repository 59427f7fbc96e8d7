package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sqldb/postgres"
	"gamedex/internal/testing/await"
	"gamedex/internal/testing/enginetest"
)

// words opens a database with a table of its own.
func words(t *testing.T) *postgres.DB {
	t.Helper()
	db := open(t, newDatabase(t))
	write(t, db, func(c engine.Conn) error {
		_, err := c.Exec(t.Context(), `CREATE TABLE word (text TEXT COLLATE "C" PRIMARY KEY, number INTEGER, timestamp BIGINT, share FLOAT8, body BYTEA)`)
		return err
	})
	return db
}

func write(t *testing.T, db *postgres.DB, fn func(engine.Conn) error) {
	t.Helper()
	must(t, db.Write(t.Context(), fn))
}

var insertWord = &engine.Insert{Table: "word", Columns: "text, number, timestamp, share, body",
	Then: "ON CONFLICT (text) DO UPDATE SET number = word.number + excluded.number WHERE word.number < 1000"}

var updateWord = &engine.Update{Table: "word", Set: "number, body", Key: "text, timestamp"}

// beyond is a timestamp that does not fit into 32 bits.
const beyond = int64(1) << 41

func text(i int) string { return fmt.Sprintf("w%05d", i) }

func insertWords(t *testing.T, db *postgres.DB, n int) (changed int64) {
	t.Helper()
	write(t, db, func(c engine.Conn) (err error) {
		changed, err = c.InsertRows(t.Context(), insertWord, n, func(args []any, i int) []any {
			return append(args, text(i), i%2, beyond+int64(i), float64(i)/4, []byte{byte(i), 0, 0xff})
		})
		return err
	})
	return changed
}

// TestInsertAndUpdateRows writes more rows than fit into one statement.
func TestInsertAndUpdateRows(t *testing.T) {
	const n = 9000
	db := words(t)
	for round := range 2 { // the second updates
		if changed := insertWords(t, db, n); changed != n {
			t.Errorf("round %d changed %d rows, want %d", round, changed, n)
		}
	}
	write(t, db, func(c engine.Conn) error {
		_, err := c.UpdateRows(t.Context(), updateWord, n/3, func(args []any, i int) []any {
			return append(args, int64(1000), []byte("new"), text(i), beyond+int64(i)+int64(i%2)) // odd ones are of another key
		})
		return err
	})
	if changed := insertWords(t, db, 10); changed != 5 {
		t.Errorf("changed %d rows, want 5: the others are as large as the condition allows", changed)
	}
	var got []string
	err := db.Query(t.Context(), "SELECT text, number, timestamp, share, body FROM word WHERE text = ANY($1) ORDER BY text",
		[]any{[]string{text(2), text(3), text(8999)}}, func(rows engine.Rows) error {
			var word string
			var number int
			var timestamp int64
			var share float64
			var body engine.RawBytes
			err := rows.Scan(&word, &number, &timestamp, &share, &body)
			got = append(got, fmt.Sprintf("%s %d %d %v %x", word, number, timestamp-beyond, share, body))
			return err
		})
	must(t, err)
	want := []string{"w00002 1000 2 0.5 6e6577", "w00003 3 3 0.75 0300ff", "w08999 2 8999 2249.75 2700ff"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("rows (-want +got):\n%s", d)
	}
}

// TestUpdateSomeRows checks which rows a condition leaves, in more than one statement.
func TestUpdateSomeRows(t *testing.T) {
	const n = 9000
	db := words(t)
	insertWords(t, db, n)
	up := &engine.Update{Table: "word", Set: "number", Key: "text", If: "word.timestamp = new.timestamp AND word.share < new.most", Given: "timestamp, most"}
	var want, left []int
	write(t, db, func(c engine.Conn) (err error) {
		want = want[:0]
		left, err = c.UpdateRows(t.Context(), up, n, func(args []any, i int) []any {
			timestamp := beyond + int64(i)
			if i%1000 == 7 {
				timestamp++
			}
			if i%1000 == 7 || i >= 8000 {
				want = append(want, i)
			}
			return append(args, int64(5), text(i), timestamp, float64(2000))
		})
		return err
	})
	if d := cmp.Diff(want, left); d != "" {
		t.Errorf("rows that are left (-want +got):\n%s", d)
	}
	var updated int
	err := db.Query(t.Context(), "SELECT count(*) FROM word WHERE number = $1", []any{5}, func(rows engine.Rows) error { return rows.Scan(&updated) })
	if err != nil || updated != n-len(want) {
		t.Errorf("%d rows are updated, %v; want %d", updated, err, n-len(want))
	}
}

// TestRowsOfWrongShape checks the errors for values that are not those of the columns.
func TestRowsOfWrongShape(t *testing.T) {
	db := words(t)
	for want, row := range map[string][]any{
		"row 0 has 2 values, not 5":                           {"a", 1},
		"column 2 of row 0: a bool cannot be stored":          {"a", true, 1, 1.5, []byte{}},
		"column 1 of row 0: a time.Duration cannot be stored": {time.Second, 1, 1, 1.5, []byte{}},
	} {
		err := db.Write(t.Context(), func(c engine.Conn) error {
			_, err := c.InsertRows(t.Context(), insertWord, 1, func(args []any, _ int) []any { return append(args, row...) })
			return err
		})
		if err == nil || err.Error() != want {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestLists checks lists of each type, an empty one, and a long one.
func TestLists(t *testing.T) {
	db := words(t)
	insertWords(t, db, 3000)
	long := make([]string, 3000)
	for i := range long {
		long[i] = text(i)
	}
	for _, tt := range []struct {
		condition string
		list      any
		want      int
	}{
		{"text", []string{"w00001", "w00002", "none"}, 2},
		{"text", []string{}, 0},
		{"text", long, 3000},
		{"timestamp", []int64{beyond, beyond + 1}, 2},
		{"timestamp", []int64(nil), 0},
		{"body", [][]byte{{1, 0, 0xff}}, 12}, // every 256th
		{"body", [][]byte{}, 0},
	} {
		got := 0
		err := db.Query(t.Context(), "SELECT text FROM word WHERE "+tt.condition+" = ANY($1)", []any{tt.list}, func(engine.Rows) error {
			got++
			return nil
		})
		if err != nil || got != tt.want {
			t.Errorf("%s = ANY(%.30v): %d rows, %v; want %d", tt.condition, tt.list, got, err, tt.want)
		}
		write(t, db, func(c engine.Conn) error {
			changed, err := c.Exec(t.Context(), "UPDATE word SET number = 0 WHERE "+tt.condition+" = ANY($1)", tt.list)
			if int(changed) != tt.want {
				t.Errorf("%s = ANY(%.30v): changed %d rows, want %d", tt.condition, tt.list, changed, tt.want)
			}
			return err
		})
	}
}

// TestTextsThatAreNone checks that zero bytes and invalid UTF-8 make no statement
// fail, and that they are found as they were stored.
func TestTextsThatAreNone(t *testing.T) {
	db := words(t)
	write(t, db, func(c engine.Conn) error {
		_, err := c.InsertRows(t.Context(), insertWord, 1, func(args []any, _ int) []any {
			return append(args, "a\x00b", 1, beyond, 0.5, []byte("a\x00"))
		})
		if err == nil {
			_, err = c.Exec(t.Context(), "INSERT INTO word (text, number) VALUES ($1, $2)", "c\xffd", 2)
		}
		return err
	})
	for _, list := range [][]string{{"a\x00b"}, {"plain", "c\xffd"}, {"a\uFFFDb"}} {
		found := 0
		err := db.Query(t.Context(), "SELECT text FROM word WHERE text = ANY($1)", []any{list}, func(engine.Rows) error {
			found++
			return nil
		})
		if err != nil || found != 1 {
			t.Errorf("%q: found %d, %v", list, found, err)
		}
	}
}

// TestCallbackErrors checks that the error of a callback comes back as it is, and that
// the database works afterwards.
func TestCallbackErrors(t *testing.T) {
	db := words(t)
	insertWords(t, db, 5000)
	enough := errors.New("enough")
	stop := func(engine.Rows) error { return enough }
	if err := db.Query(t.Context(), "SELECT text FROM word", nil, stop); err != enough {
		t.Errorf("Query: %v", err)
	}
	err := db.Read(t.Context(), func(q engine.Querier) error {
		if err := q.Query(t.Context(), "SELECT text FROM word", nil, stop); err != enough {
			t.Errorf("Read: %v", err)
		}
		return q.Query(t.Context(), "SELECT text FROM word LIMIT 1", nil, stop)
	})
	if err != enough {
		t.Errorf("a second query of the reader: %v", err)
	}
	err = db.Write(t.Context(), func(c engine.Conn) error {
		if _, err := c.Exec(t.Context(), "DELETE FROM word"); err != nil {
			return err
		}
		return c.Query(t.Context(), "SELECT value FROM counter", nil, stop)
	})
	if err == nil {
		t.Error("a transaction whose query failed was committed")
	}
	if n := count(t, db, "word"); n != 5000 {
		t.Errorf("%d words, want 5000: the transaction was rolled back", n)
	}
}

func count(t *testing.T, db *postgres.DB, table string) (n int) {
	t.Helper()
	err := db.Query(t.Context(), "SELECT count(*) FROM "+table, nil, func(rows engine.Rows) error { return rows.Scan(&n) })
	must(t, err)
	return n
}

// TestReadersCannotWrite checks that the server refuses what a reader changes. That readers see one
// snapshot is tested in package sqldb, for both engines.
func TestReadersCannotWrite(t *testing.T) {
	db := words(t)
	insertWords(t, db, 10)
	err := db.Read(t.Context(), func(q engine.Querier) error {
		return q.Query(t.Context(), "DELETE FROM word RETURNING text", nil, func(engine.Rows) error { return nil })
	})
	if err == nil {
		t.Error("a reader has written")
	}
}

// TestDeadlocksAreTriedAgain makes two transactions lock two rows in opposite order,
// again and again: all their changes arrive, each once.
func TestDeadlocksAreTriedAgain(t *testing.T) {
	db := words(t)
	insertWords(t, db, 2)
	const rounds = 3
	var all sync.WaitGroup
	met := make(chan struct{}) // both hold their first row in the first round
	var runs [2]int
	for who, order := range [][]string{{text(0), text(1)}, {text(1), text(0)}} {
		all.Go(func() {
			for round := range rounds {
				err := db.Write(t.Context(), func(c engine.Conn) error {
					runs[who]++
					for i, word := range order {
						if _, err := c.Exec(t.Context(), "UPDATE word SET number = number + 10 WHERE text = $1", word); err != nil {
							return err
						}
						if round == 0 && runs[who] == 1 && i == 0 {
							if who == 0 {
								met <- struct{}{}
							} else {
								<-met
							}
						}
					}
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if runs[0]+runs[1] <= 2*rounds {
		t.Errorf("%d runs of %d transactions: there was no deadlock", runs[0]+runs[1], 2*rounds)
	}
	var got []int
	err := db.Query(t.Context(), "SELECT number FROM word ORDER BY text", nil, func(rows engine.Rows) error {
		var n int
		err := rows.Scan(&n)
		got = append(got, n)
		return err
	})
	if want := []int{20 * rounds, 20*rounds + 1}; err != nil || !slices.Equal(got, want) {
		t.Errorf("numbers %v, want %v: every change once; %v", got, want, err)
	}
}

// TestUnclearCommit ends the connection while it commits. Whether the change was
// stored is unknown then, so the transaction does not run again.
func TestUnclearCommit(t *testing.T) {
	db := words(t)
	write(t, db, func(c engine.Conn) error {
		_, err := c.Exec(t.Context(), `CREATE FUNCTION hang_up() RETURNS trigger LANGUAGE plpgsql AS
			$$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$`)
		if err == nil {
			_, err = c.Exec(t.Context(), `CREATE CONSTRAINT TRIGGER hang_up AFTER INSERT ON word DEFERRABLE INITIALLY DEFERRED
				FOR EACH ROW EXECUTE FUNCTION hang_up()`)
		}
		return err
	})
	runs := 0
	err := db.Write(t.Context(), func(c engine.Conn) error {
		runs++
		_, err := c.Exec(t.Context(), "INSERT INTO word (text) VALUES ('a')")
		return err
	})
	if !errors.Is(err, postgres.ErrUnclear) || runs != 1 {
		t.Errorf("error %v after %d runs, want one that wraps ErrUnclear after one", err, runs)
	}
	if text := db.Remedy(err); !strings.Contains(text, "does not answer") {
		t.Errorf("remedy %q", text)
	}
	if n := count(t, db, "word"); n != 0 {
		t.Errorf("%d words; this server had not committed", n)
	}
}

// TestRefusedCommit checks that a commit that the server refuses is no unclear one.
func TestRefusedCommit(t *testing.T) {
	db := words(t)
	write(t, db, func(c engine.Conn) error {
		_, err := c.Exec(t.Context(), "ALTER TABLE word ADD CONSTRAINT once UNIQUE (timestamp) DEFERRABLE INITIALLY DEFERRED")
		return err
	})
	err := db.Write(t.Context(), func(c engine.Conn) error {
		_, err := c.Exec(t.Context(), "INSERT INTO word (text, timestamp) VALUES ('a', 1), ('b', 1)")
		return err
	})
	if err == nil || errors.Is(err, postgres.ErrUnclear) || db.Remedy(err) != "" {
		t.Errorf("error %v, remedy %q", err, db.Remedy(err))
	}
}

// TestLock checks that transactions that lock a common name run one after the other,
// and that the order in which they name their locks does not matter.
func TestLock(t *testing.T) {
	db := words(t)
	insertWords(t, db, 1)
	var all sync.WaitGroup
	for who := range 6 {
		all.Go(func() {
			names := []string{"common", "place/1", "place/2", fmt.Sprint("own/", who)}
			if who%2 == 1 {
				slices.Reverse(names)
			}
			for range 20 {
				err := db.Write(t.Context(), func(c engine.Conn) error {
					if err := c.Lock(t.Context(), append(names, names[0])...); err != nil {
						return err
					}
					n := 0
					err := c.Query(t.Context(), "SELECT number FROM word", nil, func(rows engine.Rows) error { return rows.Scan(&n) })
					if err == nil {
						_, err = c.Exec(t.Context(), "UPDATE word SET number = $1", n+1)
					}
					return err
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	var n int
	err := db.Query(t.Context(), "SELECT number FROM word", nil, func(rows engine.Rows) error { return rows.Scan(&n) })
	if err != nil || n != 120 {
		t.Errorf("counted %d of 120 increments; %v", n, err)
	}
}

// TestFrozenWriter checks that a writer that holds locks and sends nothing more, such as a
// process that is frozen, does not fail another writer, and stores nothing.
func TestFrozenWriter(t *testing.T) {
	t.Parallel()
	db := words(t)
	insertWords(t, db, 1)
	increment := func(c engine.Conn) error {
		_, err := c.Exec(t.Context(), "UPDATE word SET number = number + 1")
		return err
	}
	locked, thaw, frozen := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		frozen <- db.Write(t.Context(), func(c engine.Conn) error {
			err := increment(c)
			close(locked)
			<-thaw
			return err
		})
	}()
	<-locked
	if err := db.Write(t.Context(), increment); err != nil {
		t.Errorf("the other writer: %v; %s", err, db.Remedy(err))
	}
	close(thaw)
	if err := <-frozen; err == nil {
		t.Error("the frozen writer committed")
	}
	var n int
	err := db.Query(t.Context(), "SELECT number FROM word", nil, func(rows engine.Rows) error { return rows.Scan(&n) })
	if err != nil || n != 1 {
		t.Errorf("counted %d, want the increment of the other writer; %v", n, err)
	}
}

// TestNow checks that the clock is the server's, in milliseconds, and goes on within
// a transaction.
func TestNow(t *testing.T) {
	db := words(t)
	write(t, db, func(c engine.Conn) error {
		first, err := c.Now(t.Context())
		if err != nil {
			return err
		}
		if off := time.Since(time.UnixMilli(first)).Abs(); off > time.Hour { // the server may be another machine
			t.Errorf("the clock of the server is %v off", off)
		}
		for deadline := time.Now().Add(await.Patience); ; {
			now, err := c.Now(t.Context())
			if err != nil || now > first {
				return err
			}
			if time.Now().After(deadline) {
				t.Error("the clock stands still within a transaction")
				return nil
			}
		}
	})
}

// TestCancelledWrites checks that a transaction whose context ends changes nothing,
// and that this is no trouble of the database.
func TestCancelledWrites(t *testing.T) {
	db := words(t)
	ctx, cancel := context.WithCancel(t.Context())
	err := db.Write(ctx, func(c engine.Conn) error {
		if _, err := c.Exec(ctx, "INSERT INTO word (text) VALUES ('a')"); err != nil {
			return err
		}
		cancel()
		_, err := c.Exec(ctx, "INSERT INTO word (text) VALUES ('b')")
		return err
	})
	if !errors.Is(err, context.Canceled) || db.Remedy(err) != "" {
		t.Errorf("error %v, remedy %q", err, db.Remedy(err))
	}
	if n := count(t, db, "word"); n != 0 {
		t.Errorf("%d words are stored", n)
	}
}

// TestSessionsKeepNothing checks that no setting and no lock of a transaction stays in its
// session, and behind a pooler, which gives the session to somebody else, no statement
// either.
func TestSessionsKeepNothing(t *testing.T) {
	t.Run("own session", func(t *testing.T) {
		dsn := newDatabase(t)
		if used := useSession(t, dsn); !slices.ContainsFunc(used, func(line string) bool {
			return strings.HasSuffix(line, " statements") && line != "0 statements"
		}) {
			t.Errorf("statements of writers have no names: %q", used)
		}
	})
	t.Run("pooler", func(t *testing.T) {
		s := enginetest.SharedPostgres(t)
		dsn := s.NewPgBouncer(t).OwnDSN(s.NewDatabase(t, ""))
		if used := useSession(t, dsn); !slices.Contains(used, "0 statements") {
			t.Errorf("statements stay in the session of a pooler: %q", used)
		}
	})
}

// useSession writes in a database, checks that settings and locks are as in a fresh session,
// and returns what it has compared, and the number of statements.
func useSession(t *testing.T, dsn string) []string {
	const settings = `SELECT string_agg(name || '=' || setting, ' ' ORDER BY name) FROM pg_settings WHERE name LIKE '%timeout'
		UNION ALL SELECT count(*) || ' statements' FROM pg_prepared_statements
		UNION ALL SELECT count(*) || ' locks' FROM pg_locks WHERE locktype = 'advisory'`
	db, fresh := open(t, dsn), query(t, connect(t, dsn), settings)
	for range 20 {
		write(t, db, func(c engine.Conn) error {
			if err := c.Lock(t.Context(), "a"); err != nil {
				return err
			}
			_, err := c.Exec(t.Context(), "UPDATE publication SET seq = $1", 1)
			return err
		})
	}
	var used []string
	must(t, db.Query(t.Context(), settings, nil, func(rows engine.Rows) error {
		var line string
		err := rows.Scan(&line)
		used = append(used, line)
		return err
	}))
	if len(used) != 3 || used[0] != fresh[0] || used[2] != "0 locks" || fresh[2] != "0 locks" {
		t.Errorf("a session that was used differs: %q, a fresh one has %q", used, fresh)
	}
	return used
}

// TestScanIntoNamedTypes scans each row into the same variables, and into others.
func TestScanIntoNamedTypes(t *testing.T) {
	type (
		word      string
		timestamp int64
		share     float64
		small     uint8
	)
	type row struct {
		text      word
		number    small
		odd       engine.Bool
		timestamp timestamp
		share     share
		body      engine.RawBytes
	}
	db := words(t)
	insertWords(t, db, 4)
	const query = "SELECT text, number, number, timestamp, share, body FROM word ORDER BY text"
	want := func(i int) row {
		return row{word(text(i)), small(i % 2), i%2 == 1, timestamp(beyond + int64(i)), share(i) / 4, []byte{byte(i), 0, 0xff}}
	}
	dest := func(r *row) []any { return []any{&r.text, &r.number, &r.odd, &r.timestamp, &r.share, &r.body} }
	rows := make([]row, 4)
	for name, to := range map[string]func(i int) *row{
		"one row":  func(int) *row { return &rows[0] },
		"its own":  func(i int) *row { return &rows[i] },
		"two rows": func(i int) *row { return &rows[i/2] },
	} {
		i := 0
		err := db.Query(t.Context(), query, nil, func(scanned engine.Rows) error {
			err := scanned.Scan(dest(to(i))...)
			if diff := cmp.Diff(want(i), *to(i), cmp.AllowUnexported(row{})); diff != "" {
				t.Errorf("%s: row %d (-want +got):\n%s", name, i, diff)
			}
			i++
			return err
		})
		if err != nil || i != 4 {
			t.Errorf("%s: %d rows, %v", name, i, err)
		}
	}
}

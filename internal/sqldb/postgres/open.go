package postgres

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sqldb/upgrade"
)

// oldestServer is the oldest version of the server that has all that statements use.
const oldestServer = 150000

// DB is an open database. Its methods may be called from any goroutine.
type DB struct {
	pool *pgxpool.Pool
	name string // hosts and database, for messages
	role string
	id   string
	seen *timelines
	// epoch is the text of the epoch's expression, epochGap what it lacks.
	epoch, epochGap string
}

// Open connects to the database that dsn names: "postgres://…". It creates the schema
// in an empty one only with opts.Create, and migrates an older schema, which is safe
// when several processes start at once. It refuses what the package's description
// says, each with a sentence that names the way out. If the server does not answer, the
// error is a [engine.UnreachableError].
func Open(ctx context.Context, dsn string, opts engine.Options) (*DB, error) {
	config, err := parseDSN(dsn)
	if err != nil {
		return nil, err
	}
	if opts.Rand == nil {
		opts.Rand = rand.Reader
	}
	if opts.Warn == nil {
		opts.Warn = func(string) {}
	}
	seen := &timelines{warn: opts.Warn, newest: map[string]uint64{}}
	config.ConnConfig.ValidateConnect = seen.checkAfter(config.ConnConfig.ValidateConnect)
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	db := &DB{pool: pool, name: nameOf(config.ConnConfig), role: config.ConnConfig.User, seen: seen}
	if err := db.prepare(ctx, opts); err != nil {
		pool.Close()
		explained := engine.Explain("open database", shortened(err), db.Remedy(err))
		if mayAnswerLater(err) {
			return nil, &engine.UnreachableError{Err: explained}
		}
		return nil, explained
	}
	return db, nil
}

// Close closes all connections.
func (db *DB) Close() error {
	db.pool.Close()
	return nil
}

// Name returns hosts and database, for messages.
func (db *DB) Name() string { return db.name }

// ID returns the id of this database: 32 characters drawn when it was created.
// Copies have the same id.
func (db *DB) ID() string { return db.id }

// prepare checks the server and the schema, migrates it, and reads the id.
func (db *DB) prepare(ctx context.Context, opts engine.Options) error {
	s, err := db.readServer(ctx)
	if err != nil {
		return err
	}
	if err := s.check(db.name); err != nil {
		return err
	}
	schema, err := db.readSchema(ctx, s)
	if err != nil {
		return err
	}
	switch {
	case schema.version == 0 && !opts.Create:
		return fmt.Errorf("there is no gamedex database in %s; create it with `gamedex import FILE`, `gamedex serve` or `gamedex migrate`", db.name)
	case schema.version < schema.want && opts.KeepSchema:
		return engine.OlderSchema("database "+db.name, schema.version, schema.want)
	case schema.version < schema.want || schema.id == "":
		if schema.id, err = db.migrate(ctx, s, opts.Rand); err != nil {
			return err
		}
	}
	db.id = schema.id
	return db.askEpoch(ctx)
}

// server is what Open asks of a server.
type server struct {
	number   int64 // 150004 is 15.4
	version  string
	encoding string
	readOnly bool
	schema   string // where tables are created; "" if there is none
	create   bool   // the role may create tables there
	role     string
}

func (db *DB) readServer(ctx context.Context) (s server, err error) {
	err = db.pool.QueryRow(ctx, `SELECT current_setting('server_version_num')::int8, current_setting('server_version'),
		current_setting('server_encoding'), pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on',
		COALESCE(current_schema(), ''), COALESCE(has_schema_privilege(current_schema(), 'CREATE'), false), current_user::text`).
		Scan(&s.number, &s.version, &s.encoding, &s.readOnly, &s.schema, &s.create, &s.role)
	return s, err
}

// check returns why gamedex cannot use the server.
func (s *server) check(name string) error {
	switch {
	case s.number < oldestServer:
		return fmt.Errorf("database %s is on PostgreSQL %s; gamedex needs version %d or later: upgrade the server", name, s.version, oldestServer/10000)
	case s.encoding != "UTF8":
		return fmt.Errorf("database %s has the encoding %s, not UTF8; create another one: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0",
			name, s.encoding)
	case s.readOnly:
		return fmt.Errorf("database %s %s", name, readOnly)
	case s.schema == "":
		return fmt.Errorf("database %s has none of the schemas in the search_path; create one, or name another in the DSN: ?search_path=public", name)
	}
	return nil
}

// schema is what is stored of gamedex's own schema.
type schema struct {
	version, want int64
	id            string
}

// readSchema reads the state of the schema. It refuses tables of another program, and
// a schema that a newer version wrote and this one cannot run on.
func (db *DB) readSchema(ctx context.Context, s server) (schema, error) {
	own := schema{want: SchemaVersion()}
	has, err := db.relations(ctx, s.schema)
	if err != nil {
		return own, err
	}
	if !slices.Contains(has, upgrade.SchemaTable) {
		for _, name := range relationNames() {
			if slices.Contains(has, name) {
				return own, foreign(db.name, s.schema, name)
			}
		}
		return own, nil
	}
	columns := 0
	const versionColumns = `SELECT count(*) FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
		WHERE c.relnamespace = $1::text::regnamespace AND c.relname = $2 AND a.attname IN ('version_id', 'is_applied')`
	if err := db.pool.QueryRow(ctx, versionColumns, quote(s.schema), upgrade.SchemaTable).Scan(&columns); err != nil {
		return own, err
	}
	if columns < 2 {
		return own, foreign(db.name, s.schema, upgrade.SchemaTable)
	}
	if err := db.pool.QueryRow(ctx, appliedVersion).Scan(&own.version); err != nil || own.version == 0 {
		return own, err
	}
	if own.version > own.want {
		var oldest int64
		err := db.pool.QueryRow(ctx, engine.SelectOldest).Scan(&oldest)
		if err == nil || errors.Is(err, pgx.ErrNoRows) {
			err = engine.CheckVersion("database "+db.name, own.version, own.want, oldest)
		}
		if err != nil {
			return own, err
		}
	}
	err = db.pool.QueryRow(ctx, engine.SelectID).Scan(&own.id)
	if errors.Is(err, pgx.ErrNoRows) { // the first start was stopped before it
		err = nil
	}
	return own, err
}

// relations returns the names of the tables and indexes of a schema.
func (db *DB) relations(ctx context.Context, schema string) ([]string, error) {
	rows, err := db.pool.Query(ctx, "SELECT relname::text FROM pg_class WHERE relnamespace = $1::text::regnamespace", quote(schema))
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

func quote(name string) string { return pgx.Identifier{name}.Sanitize() }

func foreign(database, schema, name string) error {
	return fmt.Errorf("database %s contains %s.%s, which belongs to another program; name an empty database, or another schema with ?search_path=NAME",
		database, schema, name)
}

// maxConns bounds the connections of a process, unless the DSN has pool_max_conns.
// With fewer than minConns, a reader that asks for something else could wait for
// itself.
const (
	maxConns = 8
	minConns = 4
)

// form is what the sentences about a DSN ask for.
const form = "want postgres://USER:PASSWORD@HOST:PORT/DATABASE, where a password has %40 for @ and %2F for /"

// CheckDSN returns what is wrong with a DSN. It connects to nothing.
func CheckDSN(dsn string) error {
	_, err := parseDSN(dsn)
	return err
}

// parseDSN returns the settings of a DSN: "postgres://…", as libpq reads it. It
// names no part of the DSN that may be part of a password.
func parseDSN(dsn string) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, fmt.Errorf("the DSN cannot be used: %s; %s", reason(err), form)
	}
	c := config.ConnConfig
	if strings.ContainsAny(c.Host, "@") || strings.ContainsAny(c.Database, "@/") {
		return nil, errors.New("the DSN cannot be used: the password ends at the first @ or /; " + form)
	}
	given := options(dsn)
	if !given.Has("pool_max_conns") {
		config.MaxConns = maxConns
	}
	if config.MaxConns < minConns {
		return nil, fmt.Errorf("the DSN cannot be used: pool_max_conns is %d; it must be %d or more", config.MaxConns, minConns)
	}
	if !given.Has("default_query_exec_mode") {
		// The driver's own default gives statements names, which a pooler loses.
		c.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
		config.AfterConnect = recognizeSession
	}
	if !given.Has("connect_timeout") {
		c.ConnectTimeout = maxWait
		if strings.Contains(nameOf(c), ",") { // several hosts: one that is silent must leave time for the others
			c.ConnectTimeout = maxWait / 5
		}
	}
	if c.RuntimeParams["application_name"] == "" {
		c.RuntimeParams["application_name"] = "gamedex"
	}
	config.ShouldPing = func(context.Context, pgxpool.ShouldPingParams) bool { return false } // acquire does it
	return config, nil
}

// reason returns why a DSN cannot be used, without the parts of the error that quote
// the DSN.
func reason(err error) string {
	const files = "failed to configure TLS" // says which option or file is wrong
	_, text, _ := strings.Cut(err.Error(), "`: ")
	text, _, _ = strings.Cut(text, " (")
	if cause := errors.Unwrap(err); cause != nil && text == files {
		text += ": " + cause.Error()
	}
	return text
}

// options returns the options after the ? of a DSN.
func options(dsn string) url.Values {
	_, query, _ := strings.Cut(dsn[strings.LastIndex(dsn, "@")+1:], "?")
	given, _ := url.ParseQuery(query) // ParseConfig has read them too
	return given
}

// nameOf returns what messages call a database: its hosts and its name.
func nameOf(c *pgx.ConnConfig) string {
	hosts := []string{address(c.Host, c.Port)}
	for _, f := range c.Fallbacks {
		if host := address(f.Host, f.Port); !slices.Contains(hosts, host) {
			hosts = append(hosts, host)
		}
	}
	return strings.Join(hosts, ",") + "/" + c.Database
}

func address(host string, port uint16) string {
	if strings.HasPrefix(host, "/") { // the folder of a socket
		return host
	}
	return net.JoinHostPort(host, strconv.Itoa(int(port)))
}

package postgres

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// The codes of the server's errors that mean something here.
const (
	deadlock         = "40P01"
	serialization    = "40001"
	lockNotAvailable = "55P03"
	queryCanceled    = "57014"
	cannotConnectNow = "57P03"
	readOnlyCode     = "25006"
	inRecovery       = "55000" // asked for what only a primary knows
	wrongPassword    = "28P01"
	notAuthorized    = "28000"
	noDatabase       = "3D000"
	noPrivilege      = "42501"
	diskFull         = "53100"
	tooManyConns     = "53300"
	dataCorrupted    = "XX001"
	indexCorrupted   = "XX002"
)

// code returns the code of an error that the server sent; "" if it sent none.
func code(err error) string {
	e, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return ""
	}
	return e.Code
}

// ErrUnclear is wrapped by the error of a commit whose answer got lost: the change
// may be stored or not.
var ErrUnclear = errors.New("it is not known whether the change is stored")

// repeatable reports whether a transaction whose function failed may run again:
// the server has rolled it back because of another one.
func repeatable(err error) bool {
	if errors.Is(err, ErrUnclear) {
		return false
	}
	c := code(err)
	return c == deadlock || c == serialization
}

// commitError returns the error of a commit. Only if the server says that it refused
// the commit is nothing stored: its connection may also end between the commit and
// the answer.
func commitError(err error) error {
	var e *pgconn.PgError
	switch {
	case err == nil, errors.Is(err, pgx.ErrTxCommitRollback):
		return err
	case errors.As(err, &e) && e.SeverityUnlocalized == "ERROR":
		return err
	}
	return fmt.Errorf("%w: %w", ErrUnclear, err)
}

const readOnly = "is a read-only standby; name the primary, or all hosts with target_session_attrs=read-write"

// remedies are what is wrong with a database, by the code of the error. %[1]s is the
// role.
var remedies = map[string]string{
	deadlock:         "is in use: the change conflicted with other writers too often; try again",
	serialization:    "is in use: the change conflicted with other writers too often; try again",
	lockNotAvailable: "is in use: another writer held a lock for 10 seconds; try again",
	queryCanceled:    "cancelled a statement that took too long; check the server for locks and load",
	cannotConnectNow: "is starting or stopping; try again",
	readOnlyCode:     readOnly,
	inRecovery:       readOnly,
	wrongPassword:    "refuses the password of role %[1]s; correct the DSN, PGPASSWORD or ~/.pgpass",
	notAuthorized:    "refuses role %[1]s; create it with LOGIN, and let pg_hba.conf accept it from this machine",
	noDatabase:       "does not exist; correct the name, or create it: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0",
	noPrivilege:      "denies role %[1]s a privilege that gamedex needs; use the role that owns the tables, or grant it the same privileges",
	diskFull:         "cannot grow: the disk of the server is full; free some space and try again",
	tooManyConns:     "accepts no more connections; raise max_connections, or put PgBouncer in front",
	dataCorrupted:    "is damaged; restore a backup",
	indexCorrupted:   "is damaged; restore a backup",
}

// Remedy returns which database err is about, what is wrong with it and how to fix
// it; "" if err is not about the database.
func (db *DB) Remedy(err error) string {
	remedy := ""
	var old *oldPrimaryError
	switch {
	case err == nil, errors.Is(err, context.Canceled):
	case errors.As(err, &old):
		remedy = "is not used: " + old.Error() + "; start the promoted server, and make the old primary its standby (pg_rewind); " +
			"to go on with the old primary for good, restart gamedex"
	case remedies[code(err)] != "":
		remedy = remedies[code(err)]
		if strings.Contains(remedy, "%") {
			remedy = fmt.Sprintf(remedy, db.role)
		}
	case errors.Is(err, errNoConn):
		remedy = "is in use: all connections of this process were busy for 10 seconds; try again"
	case isLost(err):
		remedy = "does not answer; check host and port, and that the server runs"
	case errors.Is(err, context.DeadlineExceeded):
		remedy = "did not answer in time; check the network, and the server for locks and load"
	}
	if remedy == "" {
		return ""
	}
	return "database " + db.name + " " + remedy
}

// Damage returns how the stored data are damaged, if err says so; otherwise "".
func (db *DB) Damage(err error) string {
	if c := code(err); c == dataCorrupted || c == indexCorrupted {
		return fmt.Sprintf("the database is damaged: %v", err)
	}
	return ""
}

// isLost reports whether a connection could not be made or was lost.
func isLost(err error) bool {
	var connecting *pgconn.ConnectError
	var network net.Error
	switch {
	case errors.As(err, &connecting), errors.Is(err, errNoAnswer), errors.Is(err, pgconn.ErrConnClosed):
		return true
	case errors.Is(err, context.DeadlineExceeded): // the caller's
		return false
	}
	return errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		strings.HasPrefix(code(err), "57P") || strings.HasPrefix(code(err), "08")
}

// mayAnswerLater reports whether a server that did not let a process in may do so later,
// though nobody changes the DSN: it is away, starts, stops or has no connection left.
func mayAnswerLater(err error) bool {
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return false
	}
	c := code(err)
	return c == tooManyConns || isLost(err) && (c == "" || strings.HasPrefix(c, "57P") || strings.HasPrefix(c, "08"))
}

// connectError is an error to connect. Its text is one line that names each cause once;
// the driver's has a line for each attempt, with TLS and without.
type connectError struct{ error }

// shortened returns err with a short text if it is an error to connect.
func shortened(err error) error {
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return connectError{err}
	}
	return err
}

func (e connectError) Unwrap() error { return e.error }

func (e connectError) Error() string {
	var connecting *pgconn.ConnectError
	errors.As(e.error, &connecting)
	attempts := []error{connecting.Unwrap()}
	if several, ok := attempts[0].(interface{ Unwrap() []error }); ok {
		attempts = several.Unwrap()
	}
	var addrs, causes, both []string
	for _, attempt := range attempts {
		addr, cause := explainAttempt(attempt)
		if text := addr + ": " + cause; !slices.Contains(both, text) {
			addrs, causes, both = append(addrs, addr), append(causes, cause), append(both, text)
		}
	}
	if slices.ContainsFunc(addrs, func(addr string) bool { return addr != addrs[0] }) {
		causes = both
	}
	return strings.Join(causes, ", ")
}

// explainAttempt returns the address that was tried, or the name that has none, and why
// that failed.
func explainAttempt(err error) (addr, cause string) {
	text := strings.Join(strings.Fields(err.Error()), " ")
	addr, text, _ = strings.Cut(text, " (") // the driver's text is "ADDRESS (HOST): what failed: why"
	_, text, _ = strings.Cut(text, "): ")
	var system *os.SyscallError
	var name *net.DNSError
	var old *oldPrimaryError
	switch {
	case errors.As(err, &system):
		text = system.Err.Error()
	case errors.As(err, &name):
		addr, text = name.Name, name.Err
	case errors.As(err, &old):
		text = "an old primary"
	case errors.Is(err, context.DeadlineExceeded):
		text = "no answer in time"
	case text == "":
		text = strings.Join(strings.Fields(err.Error()), " ")
	}
	return addr, text
}

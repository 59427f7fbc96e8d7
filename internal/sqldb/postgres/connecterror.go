package postgres

import (
	"context"
	"errors"
	"net"
	"os"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

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

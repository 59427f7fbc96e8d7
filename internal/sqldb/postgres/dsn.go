package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

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

package shared

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/valkey-io/valkey-go"
)

// Address is where counters are kept.
type Address struct {
	Host     string // with the port
	TLS      bool
	User     string
	Password string
	DB       int
	Cluster  bool
}

const defaultPort = "6379"

// ParseAddress parses redis://[user:password@]host[:port][/db][?cluster=1]. With
// rediss:// the connection is encrypted. No error contains the password.
func ParseAddress(text string) (Address, error) {
	u, err := url.Parse(text)
	if err != nil {
		return Address{}, errors.New("must be a URL such as redis://host:6379; special characters in a password are written as %XX")
	}
	a := Address{TLS: u.Scheme == "rediss", User: u.User.Username()}
	a.Password, _ = u.User.Password()
	switch {
	case u.Scheme != "redis" && u.Scheme != "rediss":
		return Address{}, errors.New("must begin with redis:// or rediss://")
	case u.Hostname() == "":
		return Address{}, errors.New("has no host")
	case u.Fragment != "" || u.Opaque != "":
		return Address{}, errors.New("must be a URL such as redis://host:6379; # in a password is written as %23")
	}
	port := u.Port()
	if port == "" {
		port = defaultPort
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return Address{}, fmt.Errorf("port %.10q: must be a number from 1 to 65535", port)
	}
	a.Host = net.JoinHostPort(u.Hostname(), port)
	if db := strings.TrimPrefix(u.Path, "/"); db != "" {
		if a.DB, err = strconv.Atoi(db); err != nil || a.DB < 0 {
			return Address{}, fmt.Errorf("database %q: must be a number from 0", db)
		}
	}
	err = a.options(u.RawQuery)
	return a, err
}

// options sets the options of an address.
func (a *Address) options(query string) error {
	values, err := url.ParseQuery(query)
	if err != nil {
		return errors.New("the options after ? cannot be read")
	}
	for name, list := range values {
		if name != "cluster" {
			return fmt.Errorf("option %q: only cluster=1 is known", name)
		}
		if list[0] != "0" && list[0] != "1" || len(list) > 1 {
			return fmt.Errorf("option cluster: must be 0 or 1")
		}
		a.Cluster = list[0] == "1"
	}
	if a.Cluster && a.DB != 0 {
		return fmt.Errorf("database %d: a cluster has database 0 only", a.DB)
	}
	return nil
}

// String returns the address without user and password.
func (a Address) String() string {
	scheme := "redis://"
	if a.TLS {
		scheme = "rediss://"
	}
	return scheme + a.Host
}

// client returns the options of a client.
func (a Address) client() valkey.ClientOption {
	o := valkey.ClientOption{
		InitAddress: []string{a.Host}, Username: a.User, Password: a.Password, SelectDB: a.DB, ClientName: "gamedex",
		ForceSingleClient: !a.Cluster, DisableCache: true, DisableRetry: true,
		ConnWriteTimeout: stuckTime, Dialer: net.Dialer{Timeout: stuckTime, KeepAlive: stuckTime},
		// One connection: what waits for it goes out together, which costs both sides less.
		PipelineMultiplex: -1, ReadBufferEachConn: 1 << 16, WriteBufferEachConn: 1 << 16,
	}
	if a.TLS {
		host, _, _ := net.SplitHostPort(a.Host) // joined by ParseAddress
		o.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12, ServerName: host}
	}
	return o
}

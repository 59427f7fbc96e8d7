package shared

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/valkey-io/valkey-go"

	"gamedex/internal/registry"
)

// Fault is why a server cannot keep counters until somebody changes its settings or
// the address.
type Fault struct {
	server string
	reason string
}

// Error names the server and says what to change.
func (f *Fault) Error() string { return f.server + ": " + f.reason }

// Open connects to the server and checks its settings. Its error is a [Fault]. If the
// server does not answer, Open succeeds, and the counter is alone until it does.
func Open(ctx context.Context, cfg Config) (*Shared, error) {
	s := &Shared{
		cfg: cfg, began: cfg.Now(), self: rand.Text(), take: valkey.NewLuaScript(takeScript), tries: valkey.NewLuaScript(triesScript),
		every: registry.Every, tripped: make(chan struct{}, 1),
	}
	var node [8]byte
	rand.Read(node[:6]) // never fails
	s.node = binary.BigEndian.Uint64(node[:])
	for i, wait := range callTimes {
		s.connections[i].wait = wait
	}
	err := s.connect(ctx)
	if fault, ok := errors.AsType[*Fault](err); ok {
		s.Close()
		return nil, fault
	}
	if err != nil {
		s.trip(nil, err)
	}
	return s, nil
}

// Close closes the connections. Run and all requests must have ended.
func (s *Shared) Close() {
	for i := range s.connections {
		if c := &s.connections[i]; c.client != nil {
			c.client.Close()
			c.client = nil
		}
	}
}

// connect connects to the server if that was not done, and checks its settings.
func (s *Shared) connect(ctx context.Context) error {
	if s.connections[0].client != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, openTime)
	defer cancel()
	for i := range s.connections { // published by alone
		client, err := valkey.NewClient(s.cfg.Address.client())
		if err == nil {
			s.connections[i].client = client
			err = s.check(ctx, client)
		}
		if err != nil {
			s.Close()
			return s.explain(err)
		}
	}
	return nil
}

// explain returns a Fault if a retry would meet the same error.
func (s *Shared) explain(err error) error {
	if certificate, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return s.fault("the server's certificate is not trusted: %v", certificate)
	}
	said, ok := valkey.IsValkeyErr(err)
	if !ok {
		return err
	}
	text := said.Error()
	code, _, _ := strings.Cut(text, " ")
	switch code {
	case "LOADING", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN", "BUSY":
		return err
	case "WRONGPASS", "NOAUTH":
		return s.fault("the server refused the user or the password: %s", text)
	case "NOPERM":
		return s.fault("the user lacks a permission that counters need (scripts, TIME, INFO, and reading and writing keys that begin with gamedex:): %s", text)
	}
	return s.fault("the server refused a command: %s", text)
}

func (s *Shared) fault(format string, args ...any) error {
	return &Fault{s.cfg.Address.String(), fmt.Sprintf(format, args...)}
}

// check checks every server that may keep counters.
func (s *Shared) check(ctx context.Context, client valkey.Client) error {
	if err := s.checkSettings(ctx, client); err != nil {
		return err
	}
	// Scripts do not run where they are not allowed.
	if err := s.take.Exec(ctx, client, []string{"gamedex:check"}, nil).Error(); err != nil {
		return err
	}
	names, args := s.triesArgs(probeWindow, 1)
	return s.tries.Exec(ctx, client, names, args).Error()
}

// checkSettings checks what every server says about itself.
func (s *Shared) checkSettings(ctx context.Context, client valkey.Client) error {
	for _, node := range client.Nodes() {
		text, err := node.Do(ctx, node.B().Info().Build()).ToString()
		if err != nil {
			return err
		}
		if err := s.checkInfo(readInfo(text)); err != nil {
			return err
		}
	}
	return nil
}

// CheckSettings returns a [Fault] if the settings of a server were changed so that it may lose counts.
// While a server does not answer, they are taken to be as before.
func (s *Shared) CheckSettings(ctx context.Context) error {
	if !s.alone.Load() {
		if err := s.checkSettings(ctx, s.connections[0].client); err == nil {
			s.unsafe.Store(nil)
		} else if fault, ok := errors.AsType[*Fault](err); ok {
			s.unsafe.Store(fault)
		}
	}
	if fault := s.unsafe.Load(); fault != nil {
		return fault
	}
	return nil
}

// minVersion is the first major version of Redis that has what the script needs.
const minVersion = 7

// checkInfo checks what a server says about itself.
func (s *Shared) checkInfo(info map[string]string) error {
	mode, policy := info["redis_mode"], info["maxmemory_policy"]
	major, _, _ := strings.Cut(info["redis_version"], ".")
	version, err := strconv.Atoi(major)
	switch {
	case err != nil || version < minVersion:
		return s.fault("version %q is too old: Redis %d or newer, or Valkey, is needed", info["redis_version"], minVersion)
	case mode == "sentinel":
		return s.fault("this is a Sentinel, which stores no counts: name the server itself")
	case mode == "cluster" && !s.cfg.Address.Cluster:
		return s.fault("this server belongs to a cluster: the address must end with ?cluster=1")
	case mode != "cluster" && s.cfg.Address.Cluster:
		return s.fault("this server belongs to no cluster: the address must not have cluster=1")
	case info["role"] != "master" && !s.cfg.Address.Cluster:
		return s.fault("this is a replica, which is read-only: name its primary")
	case policy != "noeviction" && policy != "volatile-ttl":
		return s.fault("maxmemory-policy is %s, so counts may disappear: it must be noeviction or volatile-ttl", policy)
	}
	return nil
}

// readInfo reads the lines name:value of an answer of INFO.
func readInfo(text string) map[string]string {
	info := make(map[string]string)
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			info[name] = value
		}
	}
	return info
}

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
		AlwaysPipelining: true, // a call that is late leaves the connection to others
		ConnWriteTimeout: stuckTime, Dialer: net.Dialer{Timeout: stuckTime, KeepAlive: stuckTime},
		// One connection: what waits for it goes out together, which costs both sides less.
		PipelineMultiplex: -1, ReadBufferEachConn: 1 << 16, WriteBufferEachConn: 1 << 16,
		RingScaleEachConn: 11, // 2,048 calls: what a node makes until it counts alone
	}
	if a.TLS {
		host, _, _ := net.SplitHostPort(a.Host) // joined by ParseAddress
		o.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12, ServerName: host}
	}
	return o
}

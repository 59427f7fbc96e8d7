package enginetest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"gamedex/internal/testing/porttest"
)

// Redis is a Redis or Valkey server that keeps nothing on disk.
type Redis struct {
	*Process
	Port int

	dir      string
	settings []string
}

// sharedDatabases is how many numbered databases the shared server has.
const sharedDatabases = 4096

var sharedRedis = sync.OnceValues(func() (*Redis, error) {
	return inFolder("", startRedis("--databases", strconv.Itoa(sharedDatabases)))
})

// SharedRedis returns the one server of this test binary, which is for tests that do not
// stop it. Each takes another one of its 4,096 numbered databases. See [Need] for what
// happens where Redis and Valkey are missing.
func SharedRedis(t testing.TB) *Redis {
	t.Helper()
	NeedRedis(t)
	s, err := sharedRedis()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// NewRedis starts a server for this test, with further settings such as
// "--requirepass", "secret". Valkey is used if it is there. See [Need] for what
// happens where both are missing.
func NewRedis(t testing.TB, settings ...string) *Redis {
	t.Helper()
	NeedRedis(t)
	return forTest(t, "", startRedis(settings...))
}

// StartRedis is [NewRedis] for a program that is not a test. The server works in a new folder
// in parent; "" is the folder for temporary files. Close stops the server.
func StartRedis(parent string, settings ...string) (*Redis, error) {
	return inFolder(parent, startRedis(settings...))
}

func startRedis(settings ...string) func(dir string) (*Redis, error) {
	return func(dir string) (*Redis, error) {
		port, err := porttest.Reserve()
		if err != nil {
			return nil, err
		}
		s := &Redis{Port: port, dir: dir, settings: settings}
		return s, s.start()
	}
}

// NeedRedis is [Need] for Redis or Valkey.
func NeedRedis(t testing.TB) {
	t.Helper()
	if _, err := Find("valkey-server"); err != nil {
		Need(t, "redis-server")
	}
}

// Restart starts the server, which has ended, on its port again. It is empty.
func (s *Redis) Restart(t testing.TB) {
	t.Helper()
	if err := s.start(); err != nil {
		t.Fatal(err)
	}
}

func (s *Redis) start() error {
	program, err := Find("valkey-server")
	if err != nil {
		program, err = Find("redis-server")
	}
	if err != nil {
		return err
	}
	args := append([]string{"--port", strconv.Itoa(s.Port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"}, s.settings...)
	s.Process, err = startReady(s.dir, Command{Program: program, Args: args}, s.answers)
	return err
}

// Addr returns the server's address.
func (s *Redis) Addr() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(s.Port)) }

// answers returns nil if the server answers, even if it only asks for a password.
func (s *Redis) answers(ctx context.Context) error {
	_, err := s.ask(ctx, "PING")
	if err != nil && strings.HasPrefix(err.Error(), "NOAUTH") {
		return nil
	}
	return err
}

// Ask sends a command, whose words contain no spaces, and returns the answer, which must
// not be a list.
func (s *Redis) Ask(t testing.TB, command string) string {
	t.Helper()
	text, err := s.ask(t.Context(), command)
	if err != nil {
		t.Fatalf("%s: %v", command, err)
	}
	return text
}

func (s *Redis) ask(ctx context.Context, command string) (string, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", s.Addr())
	if err != nil {
		return "", err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(startTimeout)); err != nil {
		return "", err
	}
	if _, err := io.WriteString(conn, command+"\r\n"); err != nil {
		return "", err
	}
	r := bufio.NewReader(conn)
	line, err := r.ReadString('\n')
	if err != nil {
		return "", err
	}
	kind, line := line[0], strings.TrimSpace(line[1:])
	switch kind {
	case '+', ':':
		return line, nil
	case '-':
		return "", errors.New(line)
	case '$':
		n, err := strconv.Atoi(line)
		if err != nil || n < 0 {
			return "", err
		}
		text := make([]byte, n)
		_, err = io.ReadFull(r, text)
		return string(text), err
	}
	return "", fmt.Errorf("an answer that begins with %q", kind)
}

// clusterSlots are the slots of a cluster.
const clusterSlots = 16384

// NewRedisCluster starts a cluster of three servers for this test.
func NewRedisCluster(t testing.TB) [3]*Redis {
	t.Helper()
	var all [3]*Redis
	var ports [3]int // on which they talk to each other
	for i := range all {
		port, err := porttest.Reserve()
		if err != nil {
			t.Fatal(err)
		}
		ports[i] = port
		all[i] = NewRedis(t, "--cluster-enabled", "yes", "--cluster-port", strconv.Itoa(port))
		all[i].Ask(t, fmt.Sprintf("CLUSTER ADDSLOTSRANGE %d %d", i*clusterSlots/3, (i+1)*clusterSlots/3-1))
	}
	for i, s := range all[1:] {
		all[0].Ask(t, fmt.Sprintf("CLUSTER MEET 127.0.0.1 %d %d", s.Port, ports[i+1]))
	}
	for _, s := range all {
		err := s.Await(func(ctx context.Context) error {
			info, err := s.ask(ctx, "CLUSTER INFO")
			if err == nil && !(strings.Contains(info, "cluster_state:ok") && strings.Contains(info, "cluster_known_nodes:3")) {
				err = errors.New("the cluster is not complete")
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

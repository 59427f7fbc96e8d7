package shared_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/quota"
	"gamedex/internal/quota/shared"
	"gamedex/internal/testing/await"
	"gamedex/internal/testing/enginetest"
)

const password = "open-sesame"

func TestParseAddress(t *testing.T) {
	for _, tt := range []struct {
		text string
		want shared.Address
		err  string
	}{
		{"redis://valkey", shared.Address{Host: "valkey:6379"}, ""},
		{"rediss://u:p%40ss@valkey:7000/3", shared.Address{Host: "valkey:7000", TLS: true, User: "u", Password: "p@ss", DB: 3}, ""},
		{"redis://:secret@[::1]", shared.Address{Host: "[::1]:6379", Password: "secret"}, ""},
		{"redis://valkey/?cluster=1", shared.Address{Host: "valkey:6379", Cluster: true}, ""},
		{"redis://valkey?cluster=0", shared.Address{Host: "valkey:6379"}, ""},
		{"valkey:6379", shared.Address{}, "must begin with redis:// or rediss://"},
		{"http://valkey", shared.Address{}, "must begin with redis:// or rediss://"},
		{"redis://", shared.Address{}, "has no host"},
		{"redis:///1", shared.Address{}, "has no host"},
		{"redis://:" + password + "%zz@valkey", shared.Address{}, "special characters in a password are written as %XX"},
		{"redis://u:" + password + "#@valkey", shared.Address{}, ""},
		{"redis://:" + password + "@valkey:port", shared.Address{}, "must be a URL such as redis://host:6379"},
		{"redis://valkey:0", shared.Address{}, `port "0": must be a number from 1 to 65535`},
		{"redis://valkey:65536/1", shared.Address{}, `port "65536": must be a number from 1 to 65535`},
		{"redis://valkey/one", shared.Address{}, `database "one": must be a number from 0`},
		{"redis://valkey/-1", shared.Address{}, `database "-1": must be a number from 0`},
		{"redis://valkey?cluster=yes", shared.Address{}, "option cluster: must be 0 or 1"},
		{"redis://valkey?clustre=1", shared.Address{}, `option "clustre": only cluster=1 is known`},
		{"redis://valkey/1?cluster=1", shared.Address{}, "database 1: a cluster has database 0 only"},
	} {
		got, err := shared.ParseAddress(tt.text)
		if strings.Contains(tt.text, password) {
			if err == nil || strings.Contains(err.Error(), password) || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%s: %v, want %q and no password", tt.text, err, tt.err)
			}
			continue
		}
		if tt.err == "" && (err != nil || got != tt.want) || tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
			t.Errorf("%s: %+v, %v, want %+v, %q", tt.text, got, err, tt.want, tt.err)
		}
		if strings.Contains(got.String(), "p@ss") || strings.Contains(got.String(), "secret") {
			t.Errorf("%s is written as %s", tt.text, got)
		}
	}
}

// TestFaults opens counters on servers that cannot keep them. Each error is a sentence
// of its own with the way out, and without the password.
func TestFaults(t *testing.T) {
	plain := enginetest.NewRedis(t)
	guarded := enginetest.NewRedis(t, "--requirepass", password)
	replica := enginetest.NewRedis(t, "--replicaof", "127.0.0.1 "+strings.TrimPrefix(plain.Addr(), "127.0.0.1:"))
	evicting := enginetest.NewRedis(t, "--maxmemory-policy", "allkeys-lru")
	member := enginetest.NewRedis(t, "--cluster-enabled", "yes")
	limited := enginetest.NewRedis(t)
	limited.Ask(t, "ACL SETUSER limited on >"+password+" ~* +info +hello +client")
	for _, tt := range []struct{ name, address, want string }{
		{"no password", "redis://" + guarded.Addr(), "refused the user or the password: NOAUTH"},
		{"wrong password", "redis://:wrong-" + password + "@" + guarded.Addr(), "refused the user or the password: WRONGPASS"},
		{"no rights", "redis://limited:" + password + "@" + limited.Addr(), "lacks a permission that counters need"},
		{"replica", "redis://" + replica.Addr(), "name its primary"},
		{"evicts", "redis://" + evicting.Addr(), "maxmemory-policy is allkeys-lru, so counts may disappear: it must be noeviction or volatile-ttl"},
		{"cluster", "redis://" + member.Addr(), "the address must end with ?cluster=1"},
		{"no cluster", "redis://" + plain.Addr() + "?cluster=1", "the address must not have cluster=1"},
		{"no such database", "redis://" + plain.Addr() + "/99", "refused a command: DB index is out of range"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var log bytes.Buffer
			cfg := config(t, tt.address)
			cfg.Log = slog.New(slog.NewTextHandler(&log, nil))
			s, err := shared.Open(t.Context(), cfg)
			if err == nil {
				s.Close()
			}
			if _, ok := errors.AsType[*shared.Fault](err); !ok || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), cfg.Address.Host) {
				t.Errorf("%v, want %q", err, tt.want)
			}
			if text := log.String(); err != nil && strings.Contains(text+err.Error(), password) {
				t.Errorf("the password is in %q or %q", err, text)
			}
		})
	}
	// The rights that doc/operations/counters.md names are enough.
	limited.Ask(t, "ACL SETUSER counting on >"+password+" ~gamedex:* +@connection +@scripting +info +time +get +set +setrange +incrby +del +pttl")
	counting := open(t, config(t, "redis://counting:"+password+"@"+limited.Addr()))
	l, o := quota.Limits{Minute: 9, Day: 9}, quota.Owner{ID: "usr", Limits: quota.Limits{Minute: 9, Day: 9}}
	for range 3 {
		takeOwned(t, counting, "key", l, o)
	}
	window := []account.TryWindow{{Name: "w", Limit: 3, Span: time.Hour}}
	for range 2 {
		if _, err := counting.CountTries(window, 1); err != nil {
			t.Error(err)
		}
	}
	if _, err := counting.CountTries(window, -1); err != nil || counting.Outages() > 0 {
		t.Errorf("%v, %d outages", err, counting.Outages())
	}
	evicting.Ask(t, "CONFIG SET maxmemory-policy volatile-ttl")
	open(t, config(t, "redis://"+evicting.Addr()))
	open(t, config(t, "redis://:"+password+"@"+guarded.Addr()))
}

// TestInfo checks what a server may say about itself.
func TestInfo(t *testing.T) {
	for _, tt := range []struct{ info, want string }{
		{"redis_version:6.2.14\r\nredis_mode:standalone\r\nrole:master\r\nmaxmemory_policy:noeviction\r\n", `version "6.2.14" is too old`},
		{"redis_version:7.2.4\r\nredis_mode:sentinel\r\n", "this is a Sentinel"},
		{"", `version "" is too old`},
		{"redis_version:7.2.4\r\nserver_name:valkey\r\nredis_mode:standalone\r\nrole:master\r\nmaxmemory_policy:noeviction\r\n", ""},
	} {
		err := shared.CheckInfo(config(t, "redis://server"), tt.info)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%q: %v, want %q", tt.info, err, tt.want)
		}
	}
}

// TestAFaultAfterTheStart checks that a server that comes back with unusable settings is
// reported once.
func TestAFaultAfterTheStart(t *testing.T) {
	server := enginetest.NewRedis(t, "--maxmemory-policy", "allkeys-random")
	must(t, server.Kill())
	faults := make(chan string, 10)
	cfg := config(t, "redis://"+server.Addr())
	cfg.Log = slog.New(handler(func(r slog.Record) {
		if r.Level == slog.LevelError {
			faults <- r.Message
		}
	}))
	s := open(t, cfg)
	server.Restart(t)
	<-faults
	if !s.Alone() {
		t.Error("the server is used though it evicts")
	}
	server.Ask(t, "CONFIG SET maxmemory-policy noeviction")
	await.That(t, "the server", func() bool { return !s.Alone() })
	if len(faults) > 0 {
		t.Errorf("the fault was reported %d times", 1+len(faults))
	}
}

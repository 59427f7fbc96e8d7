package upstream_test

import (
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"gamedex/internal/upstream"
)

func TestNewRefusesPrivateAddresses(t *testing.T) {
	tests := []struct {
		name    string
		private bool
	}{
		{"127.0.0.1", true}, {"127.255.255.254:8080", true}, {"10.1.2.3", true}, {"172.16.0.1", true}, {"172.31.255.255", true},
		{"172.32.0.1", false}, {"192.168.1.1", true}, {"192.169.1.1", false}, {"169.254.169.254", true}, {"100.64.0.1", true},
		{"100.127.255.255", true}, {"100.128.0.1", false}, {"0.0.0.0", true}, {"0.1.2.3", true}, {"224.0.0.1", true},
		{"255.255.255.255", true}, {"192.0.0.8", true}, {"198.18.0.1", true}, {"8.8.8.8", false}, {"1.1.1.1:443", false},
		{"[::1]", true}, {"[::]", true}, {"[fe80::1]:80", true}, {"[fc00::1]", true}, {"[fd12:3456::1]", true}, {"[ff02::1]", true},
		{"[fec0::1]", true}, {"[::ffff:127.0.0.1]", true}, {"[::ffff:10.0.0.1]:443", true}, {"[::ffff:8.8.8.8]", false},
		{"[::127.0.0.1]", true}, {"[64:ff9b::10.0.0.1]", true}, {"[64:ff9b::8.8.8.8]", false}, {"[64:ff9b:1::1]", true},
		{"[2002:a00:1::]", true}, {"[2002:808:808::]", false}, {"[2606:4700::1111]", false}, {"store.example", false},
	}
	for _, tt := range tests {
		_, err := upstream.New(config(), []upstream.Host{{Name: tt.name}})
		if (err != nil) != tt.private {
			t.Errorf("%s: %v, want private %v", tt.name, err, tt.private)
		}
		if err != nil && !strings.Contains(err.Error(), "privateAddresses") {
			t.Errorf("%s: %v does not name the setting", tt.name, err)
		}
		if _, err := upstream.New(config(), []upstream.Host{{Name: tt.name, PrivateAddresses: true}}); err != nil {
			t.Errorf("%s, allowed: %v", tt.name, err)
		}
	}
}

// TestNamesOfPrivateAddresses checks that connections by name are checked after the name
// is resolved.
func TestNamesOfPrivateAddresses(t *testing.T) {
	asked := false
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer server.Close()
	_, port, _ := strings.Cut(server.Listener.Addr().String(), ":")
	name := "localhost:" + port
	for _, allowed := range []bool{false, true} {
		c, err := upstream.New(config(), []upstream.Host{{Name: name, PrivateAddresses: allowed, IgnoreRobots: true}})
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Get(t.Context(), upstream.Request{URL: "http://" + name})
		if allowed && err != nil {
			t.Error(err)
		} else if !allowed {
			wantKind(t, err, upstream.Refused)
			if !strings.Contains(err.Error(), "privateAddresses") || c.Requests() != 1 {
				t.Errorf("%v after %d requests", err, c.Requests())
			}
		}
		if asked != allowed {
			t.Errorf("allowed %v: the server was asked: %v", allowed, asked)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	ok := upstream.Host{Name: "store.example"}
	with := func(change func(*upstream.Host)) []upstream.Host {
		h := ok
		change(&h)
		return []upstream.Host{h}
	}
	tests := []struct {
		want  string
		hosts []upstream.Host
	}{
		{"name", with(func(h *upstream.Host) { h.Name = "" })},
		{"name", with(func(h *upstream.Host) { h.Name = "https://store.example" })},
		{"name", with(func(h *upstream.Host) { h.Name = "store.example/api" })},
		{"name", with(func(h *upstream.Host) { h.Name = "store.example?x" })},
		{"name", with(func(h *upstream.Host) { h.Name = "me@store.example" })},
		{"name", with(func(h *upstream.Host) { h.Name = ":443" })},
		{"name", with(func(h *upstream.Host) { h.Name = "store.example " })},
		{"ASCII", with(func(h *upstream.Host) { h.Name = "крамниця.example" })},
		{"twice", []upstream.Host{ok, {Name: "Store.Example"}}},
		{"requestsPerSecond", with(func(h *upstream.Host) { h.RequestsPerSecond = -1 })},
		{"requestsPerSecond", with(func(h *upstream.Host) { h.RequestsPerSecond = math.NaN() })},
		{"requestsPerSecond", with(func(h *upstream.Host) { h.RequestsPerSecond = math.Inf(1) })},
		{"requestsPerSecond", with(func(h *upstream.Host) { h.RequestsPerSecond = 1e-10 })}, // its interval overflows
		{"requestsPerSecond", with(func(h *upstream.Host) { h.RequestsPerSecond = 1e-4 })},  // further ahead than times may be reserved
		{"concurrent", with(func(h *upstream.Host) { h.Concurrent = -1 })},
		{"timeout", with(func(h *upstream.Host) { h.Timeout = -1 })},
		{"maxBytes", with(func(h *upstream.Host) { h.MaxBytes = -1 })},
		{"maxBytes", with(func(h *upstream.Host) { h.MaxBytes = math.MaxInt64 })},
		{"attempts", with(func(h *upstream.Host) { h.Attempts = -1 })},
		{"stopFor", with(func(h *upstream.Host) { h.StopFor = -1 })},
	}
	for _, tt := range tests {
		if _, err := upstream.New(config(), tt.hosts); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: got %v, want an error about %s", tt.hosts, err, tt.want)
		}
	}
	for _, cfg := range []upstream.Config{
		{Now: time.Now, Rand: config().Rand},
		{UserAgent: "a\r\nX-Evil: 1", Now: time.Now, Rand: config().Rand},
		{UserAgent: agent, Rand: config().Rand},
		{UserAgent: agent, Now: time.Now},
	} {
		if _, err := upstream.New(cfg, nil); err == nil {
			t.Errorf("%+v was accepted", cfg)
		}
	}
}

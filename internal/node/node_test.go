package node

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReachable(t *testing.T) {
	got := map[string]string{}
	for _, addr := range []string{"[::]:8080", "0.0.0.0:8080", "127.0.0.1:8080", "192.0.2.7:80", "[2001:db8::1]:80"} {
		got[addr] = reachable(addr)
	}
	want := map[string]string{
		"[::]:8080": "127.0.0.1:8080", "0.0.0.0:8080": "127.0.0.1:8080",
		"127.0.0.1:8080": "127.0.0.1:8080", "192.0.2.7:80": "192.0.2.7:80", "[2001:db8::1]:80": "[2001:db8::1]:80",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

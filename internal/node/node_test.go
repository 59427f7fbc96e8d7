package node

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestProfileTemplate checks that the profile template is a valid profile.
func TestProfileTemplate(t *testing.T) {
	p, err := readProfile("../../doc/examples/collect-profile.txt")
	if err != nil {
		t.Fatal(err)
	}
	if p.console == nil || p.pc == nil || p.Contact == "" {
		t.Errorf("the template lacks a part: %+v", p)
	}
	if hosts, err := p.upstreamHosts(); err != nil || len(hosts) == 0 {
		t.Errorf("hosts %v, %v", hosts, err)
	}
}

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

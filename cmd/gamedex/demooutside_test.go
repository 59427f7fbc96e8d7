package main

import (
	"net"
	"net/url"
	"strings"
	"testing"
)

// TestDemoFromOutside signs in to a demo as from outside of a container: over plain HTTP, at an
// address of this machine that is not a loopback one, with what the demo prints.
func TestDemoFromOutside(t *testing.T) {
	t.Parallel()
	account, dir := sharedDemo.open(t).prints(demoAccount)[2:], sharedDemo.copy(t).dir
	s := start(t, dir, "--demo", "--demo-still", "--addr", "0.0.0.0:0")
	_, port, err := net.SplitHostPort(strings.TrimPrefix(s.api, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	outside := "http://" + net.JoinHostPort(ownAddress(t), port)
	s.prints(`Only the account of the demo can sign in over plain HTTP\.`)
	must(t, dir, "a long enough password\n", "user", "create", "ann@example.org", "--password-stdin")
	p := newPerson(t, outside)
	signIn := func(email, password string) (status int, path, page string) {
		return p.send("/en/signin", url.Values{"email": {email}, "password": {password}, "back": {"/keys"}})
	}
	if status, path, page := signIn("ann@example.org", "a long enough password"); status != 400 || !strings.Contains(page, account[0]) {
		t.Errorf("another account: %d at %s\n%s", status, path, page)
	}
	if status, path, page := signIn(account[0], account[1]); status != 200 || path != "/keys" {
		t.Errorf("the demo's account: %d at %s\n%s", status, path, page)
	}
}

// ownAddress returns an address of this machine at which others could reach it.
func ownAddress(t *testing.T) string {
	t.Helper()
	all, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range all {
		if network, ok := a.(*net.IPNet); ok && !network.IP.IsLoopback() && network.IP.To4() != nil {
			return network.IP.String()
		}
	}
	t.Skip("this machine has only loopback addresses")
	return ""
}

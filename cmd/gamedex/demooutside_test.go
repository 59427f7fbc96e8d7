package main

import (
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"gamedex/internal/testing/await"
)

// TestDemoFromOutside signs in to a demo as from outside of a container: over plain HTTP, at an
// address of this machine that is not a loopback one, with what the demo prints.
func TestDemoFromOutside(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := start(t, dir, "--demo", "--addr", "0.0.0.0:0")
	if !await.Progress(func() bool { return strings.Contains(s.stdout.String(), "/account/usage") }, await.Nothing) {
		t.Fatalf("the demo prints\n%s", s.stdout)
	}
	_, port, err := net.SplitHostPort(strings.TrimPrefix(s.api, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	outside := "http://" + net.JoinHostPort(ownAddress(t), port)
	printed := s.stdout.String()
	found := regexp.MustCompile(`email +(\S+)\n +password +(\S+)\n`).FindStringSubmatch(printed)
	if found == nil || !strings.Contains(printed, "Only the account of the demo can sign in over plain HTTP.") {
		t.Fatalf("the demo prints\n%s", printed)
	}
	must(t, dir, "a long enough password\n", "user", "create", "ann@example.org", "--password-stdin")
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar}
	signIn := func(email, password string) (status int, path, page string) {
		t.Helper()
		res, err := browser.PostForm(outside+"/en/signin", url.Values{"email": {email}, "password": {password}, "back": {"/keys"}})
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, res.Request.URL.Path, string(body)
	}
	if status, path, page := signIn("ann@example.org", "a long enough password"); status != 400 || !strings.Contains(page, found[1]) {
		t.Errorf("another account: %d at %s\n%s", status, path, page)
	}
	if status, path, page := signIn(found[1], found[2]); status != 200 || path != "/keys" {
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

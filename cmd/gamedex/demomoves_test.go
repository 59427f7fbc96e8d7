package main

import (
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"gamedex/internal/testing/await"
)

// TestDemoPricesMove checks that prices of a demo change every minute, so that new deals appear,
// until the database has a listing of somebody else.
func TestDemoPricesMove(t *testing.T) {
	t.Parallel()
	now, dir := new(clock), t.TempDir()
	s := startInside(t, now, dir, "--demo", "--limit-minute", "100000", "--log-level", "info")
	u := newUser(t, s.api, s.prints(`gdx_\w{36}`)[0])
	s.healthy()
	newest := "/catalog/deals?" + url.Values{"regions": {"all"}, "sort": {"started"}, "limit": {"1"}}.Encode()
	startedAt := func() time.Time {
		a := u.get(newest).want(200)
		at, err := time.Parse(time.RFC3339, a.at("data.items.0.startedAt").(string))
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	// newDeal sets the clock a minute on and waits for a deal that began since.
	newDeal := func() time.Time {
		from := now.now().Add(time.Minute)
		now.set(from)
		await.That(t, "a deal that began after "+from.String(), func() bool {
			now.set(now.now().Add(time.Second)) // a build starts some time after a change
			return !startedAt().Before(from)
		})
		return now.now()
	}
	newDeal()
	last := newDeal()

	must(t, dir, "", "import", "testdata/feed.ndjson")
	now.set(last.Add(time.Minute))
	s.logs("prices of the demo do not change: the database has other listings than those of the demo")
	if at := startedAt(); at.After(last) {
		t.Errorf("a deal began at %s, after the import", at)
	}
}

// TestDemoCoversFollow checks that covers of a demo have the address of its last start.
func TestDemoCoversFollow(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := start(t, dir, "--demo", "--demo-still")
	_, token := newKey(t, dir, highLimits...)
	s.healthy()
	s.stop()
	s = start(t, dir, "--demo", "--demo-still") // on another port
	u := s.client(token)
	await.That(t, "the new address of a cover", func() bool {
		return u.get("/catalog/search?q=hades").want(200).at("data.results.0.thumbnail") == s.api+"/demo/covers/hades.svg"
	})
}

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

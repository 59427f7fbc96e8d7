package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gamedex/internal/account"
)

// TestTokensAreNotStored checks that only hashes are stored: no file contains a token.
func TestTokensAreNotStored(t *testing.T) {
	dir := t.TempDir()
	must(t, dir, "", "import", testFeed)
	_, token := newKey(t, dir)
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() && strings.Contains(read(t, path), token[4:34]) {
			t.Errorf("%s holds a token", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// inForce repeats a request until the answer has this status.
func (u *apiUser) inForce(path string, status int) answer {
	u.t.Helper()
	return u.eventually(path, func(a answer) bool { return a.status == status })
}

// TestKeyStatesComeIntoForce does not measure time: the tests of package
// account check the two seconds.
func TestKeyStatesComeIntoForce(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	id, token := newKey(t, s.dir, highLimits...)
	u := newUser(t, s.api, token)
	u.get("/account/me").want(200)

	for _, reason := range []string{strings.Repeat("x", 201), "two\nlines", "\x1b[31m", account.SuspendedWithUser} {
		r := run(t, s.dir, "", "key", "suspend", id, "--reason", reason)
		if r.status != 1 || !strings.Contains(r.stderr, "reason \"") || !strings.Contains(r.stderr, "must be") {
			t.Errorf("reason %.20q: exit %d, %s", reason, r.status, r.stderr)
		}
	}
	must(t, s.dir, "", "key", "suspend", id, "--reason", "abuse")
	u.inForce("/account/me", 403).code(403, "KEY_SUSPENDED").hasLimits().is("error.details.reason", `"abuse"`)
	left, err := strconv.Atoi(u.get(pricesPath).code(403, "KEY_SUSPENDED").hasLimits().header.Get("X-RateLimit-Remaining-Day"))
	if err != nil {
		t.Fatal(err)
	}
	must(t, s.dir, "", "key", "resume", id)
	// Refused requests are not counted; the first one that passes is.
	u.inForce("/account/me", 200).in("X-RateLimit-Remaining-Day", strconv.Itoa(left-1))
	must(t, s.dir, "", "key", "suspend", id)
	must(t, s.dir, "", "key", "revoke", id)
	u.inForce("/account/me", 403)
	u.eventually("/account/me", func(a answer) bool { return a.text("error.code") == "KEY_REVOKED" })
	if r := run(t, s.dir, "", "key", "resume", id); r.status == 0 {
		t.Error("a revoked key was resumed")
	}
}

func TestLimitsOfAKeyAndOfTheServer(t *testing.T) {
	t.Parallel()
	var now clock
	s := newShopInside(t, &now, "--limit-minute", "2", "--limit-day", "1000")
	now.set(noon())
	_, plain := newKey(t, s.dir)
	_, own := newKey(t, s.dir, "--limit-minute", "3", "--limit-day", "4")
	u, o := newUser(t, s.api, plain), newUser(t, s.api, own)
	u.get("/account/me").want(200).in("X-RateLimit-Limit-Minute", "2").in("X-RateLimit-Limit-Day", "1000").in("X-RateLimit-Remaining-Minute", "1")
	u.get("/account/me").want(200)
	u.get("/account/me").code(429, "RATE_LIMIT_EXCEEDED").is("error.details.limit", "2").in("Cache-Control", "no-store")
	for range 3 {
		o.get("/account/me").want(200)
	}
	o.get("/account/usage").code(429, "RATE_LIMIT_EXCEEDED").is("error.details.limit", "3")
	// Another key has separate limits.
	s.user(t).get("/account/me").want(200).in("X-RateLimit-Limit-Minute", "262143")
}

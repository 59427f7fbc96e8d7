package main

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// TestDashboardFlags checks the flags that decide who may sign up, where covers
// may come from, and how many requests the explorer may make.
func TestDashboardFlags(t *testing.T) {
	t.Parallel()
	demo := sharedDemo.open(t).prints(demoAccount)
	s := sharedDemo.another(t, "--signup", "open", "--image-hosts", "img.example,https://cdn.example:8443", "--audit-retention", "forever")
	res, err := http.Get(s.api + "/")
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if policy := res.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "img-src 'self' https://img.example https://cdn.example:8443;") {
		t.Errorf("the policy is %s", policy)
	}
	p := newPerson(t, s.api)
	if status, end, body := p.send("/signup", url.Values{"email": {"eve@example.org"}, "password": {"nobody invited eve"}}); status != 200 || end != "/signin" {
		t.Fatalf("sign-up: %d at %s\n%s", status, end, body)
	}
	if !p.signIn("eve@example.org", "nobody invited eve") {
		t.Fatal("the new user cannot sign in")
	}
	// The explorer's limit is 120 requests a minute. They count against no key.
	p = newPerson(t, s.api)
	if !p.signIn(demo[2], demo[3]) {
		t.Fatal("the printed sign-in does not work")
	}
	_, token := newKey(t, s.dir, "--user", demo[2])
	refused := 0
	for range 250 { // a minute may end during the loop
		status, _, _ := p.send("/en/suggest?q=witcher", nil)
		switch status {
		case http.StatusTooManyRequests:
			refused++
		case http.StatusOK:
		default:
			t.Fatalf("the explorer answers with %d", status)
		}
	}
	if refused < 10 {
		t.Errorf("of 250 suggestions in a row %d were refused", refused)
	}
	newUser(t, s.api, token).get("/account/usage").want(200).is("data.day.used", "1") // only this request

	closed := start(t, t.TempDir(), "--signup", "closed")
	link := closed.prints(`(http://\S+/setup/\S+)`)[1]
	root := newPerson(t, closed.api)
	root.send(link, url.Values{"email": {"root@example.org"}, "password": {"first of all of us"}})
	if status, _, _ := root.send("/admin/users/invite", url.Values{"email": {"eve@example.org"}}); status != http.StatusForbidden {
		t.Errorf("an invitation while sign-up is closed: %d", status)
	}
	if status, _, _ := newPerson(t, closed.api).send("/signup", url.Values{"email": {"eve@example.org"}, "password": {"nobody invited eve"}}); status != http.StatusForbidden {
		t.Errorf("sign-up while it is closed: %d", status)
	}
}

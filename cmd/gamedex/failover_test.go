package main

import (
	"net/http"
	"testing"

	"gamedex/internal/testing/await"
)

// TestStandbyWithoutTheLastCommits kills the primary under load and promotes a standby
// that lacks the last commits, which nodes and builder have seen: a price, a new key, a
// revocation, a session, usage. Other data are then stored under the same numbers. What was
// lost is neither served nor counted, also after a start with a cache.
func TestStandbyWithoutTheLastCommits(t *testing.T) {
	d := newDeployment(t)
	standby := d.withStandby()
	n := d.underLoad(newStock(50, "UA", "TR"))
	counted, token := newKey(t, n.dir, unlimited...)
	revoked, old := newKey(t, n.dir, unlimited...)
	spare := n.start("api")
	spare.waitForVersion(n.token, n.stock, 0)
	near := n.nodes[0]
	spend(t, near.server, token, 3)
	waitStored(t, n.dir, counted, 3)
	n.postgres.LeaveBehind(t, standby)

	spend(t, near.server, token, 5)
	waitStored(t, n.dir, counted, 8)
	_, lost := newKey(t, n.dir, unlimited...)
	must(t, n.dir, "", "key", "revoke", revoked)
	n.change()
	n.changed()
	spare.waitForVersion(n.token, n.stock, n.version)
	for _, m := range n.nodes {
		m.waitFor(lost, "/api/v1/account/me", works)
		m.waitFor(old, "/api/v1/account/me", func(status int, _ string) bool { return status == http.StatusForbidden })
	}
	person := ann(t, near.server)

	if err := n.postgres.Kill(); err != nil {
		t.Fatal(err)
	}
	n.more(50)
	standby.Restart(t)
	standby.Promote(t)
	n.change()
	n.changed()
	spare.kill()
	spare.again()
	n.builder.kill()
	n.builder.again()
	for _, m := range append(n.nodes, spare) {
		m.waitForVersion(n.token, n.stock, n.version)
		m.waitFor(lost, "/api/v1/account/me", func(status int, _ string) bool { return status == http.StatusUnauthorized })
		m.waitFor(old, "/api/v1/account/me", works)
	}
	await.That(t, "a session that was lost to end", func() bool { _, end, _ := person.send("/keys", nil); return end == "/signin" })
	n.change() // the number of the publication goes on
	n.changed()
	spend(t, near.server, token, 2)
	for i, m := range n.nodes {
		n.loads[i].stop()
		m.stopInOrder()
	}
	if found := stored(t, n.dir, counted); found != 5 {
		t.Errorf("%d requests are stored, want 3 of before and 2 of after the commits that were lost", found)
	}
	n.check()
}

// TestNodeIsKilled kills a node under load. The windows in Redis, with which another node
// goes on, miss nothing that it has answered; the history lacks at most what it had not
// stored.
func TestNodeIsKilled(t *testing.T) {
	d := newDeployment(t)
	d.fill(newStock(10, "UA", "TR"))
	key, token := newKey(t, d.dir, unlimited...)
	killed, other := d.start("api,build"), d.start("api")
	for range 2 {
		killed.healthy()
		other.healthy()
		before, known := usageOf(t, other.server, token), stored(t, d.dir, key)
		l := startLoad(t, killed.server, token)
		waitStored(t, d.dir, key, known+1)
		least := stored(t, d.dir, key) - known
		l.more(t, 100)
		// What the node decides without Redis, because an answer is late, Redis may not know.
		answered := int(l.answered.Load())
		own := int(killed.metric("gamedex_counters_own_decisions_total"))
		l.kill(killed.server)
		// The other node may be late too, and then says what it knows.
		asked, got := 0, 0
		if !await.Progress(func() bool {
			after := usageOf(t, other.server, token)
			asked++
			got = after.Data.Day.Used - before.Data.Day.Used - asked
			return got >= answered-own || before.Data.Day.ResetAt != after.Data.Day.ResetAt
		}, await.Nothing) {
			t.Errorf("Redis counts %d of at least %d requests, %d of which the node has decided alone", got, answered, own)
		}
		all := int(l.answered.Load())
		// The last requests may be stored though their answers were cut off. The other node has
		// stored its own.
		if got := stored(t, d.dir, key) - known; got < least || got > all+loadClients+asked+1 {
			t.Errorf("%d requests are stored, want %d, which were, to %d, which were answered", got, least, all)
		}
		t.Logf("%d requests answered, %d decided alone, %d stored before the kill", all, own, least)
		killed.again()
	}
}

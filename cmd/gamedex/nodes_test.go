package main

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gamedex/internal/testing/await"
	"gamedex/internal/testing/enginetest"
	"gamedex/internal/testing/oidctest"
	"gamedex/internal/testing/porttest"
)

// nodesShown is the answer of gamedex nodes --json.
type nodesShown struct {
	Nodes []struct {
		Name     string
		Version  string
		Epoch    string
		Roles    []string
		Manifest int64
		Live     bool
		SeenAt   time.Time
	}
	Warnings []string
}

// TestNodes checks that two processes of one database see each other, that their
// disagreement is shown everywhere, and that a process which stops is no longer listed.
func TestNodes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir() // not a copied database, which may list the node of the original
	start(t, dir, "--roles", "api", "--node-name", "first")
	other := start(t, dir, "--roles", "build", "--node-name", "second", "--active-regions", "PL")
	var shown nodesShown
	look := func(good func() bool) {
		t.Helper()
		if !await.Progress(func() bool {
			shown = decoded[nodesShown](t, must(t, dir, "", "nodes", "--json"))
			return good()
		}, await.Nothing) {
			t.Fatalf("gamedex nodes shows %+v", shown)
		}
	}
	look(func() bool { return len(shown.Nodes) == 2 && len(shown.Warnings) == 1 })
	first, second := shown.Nodes[0], shown.Nodes[1]
	if first.Name != "first" || !slices.Equal(first.Roles, []string{"api"}) || !first.Live || second.Name != "second" {
		t.Errorf("gamedex nodes shows %+v", shown)
	}
	if first.Epoch == "" || first.Epoch != second.Epoch {
		t.Errorf("one node reads epoch %q, the other %q", first.Epoch, second.Epoch)
	}
	if want := "--active-regions: first / second"; !strings.Contains(shown.Warnings[0], want) {
		t.Errorf("the warnings are %q", shown.Warnings)
	}
	if table := must(t, dir, "", "nodes"); !strings.Contains(table, shown.Warnings[0]) || strings.Count(table, "live\n") != 2 {
		t.Errorf("gamedex nodes prints\n%s", table)
	}
	var metrics string
	if !await.Progress(func() bool {
		_, metrics = fetch(t, "GET", other.ops+"/metrics")
		return hasLine(metrics, "gamedex_settings_disagreements 1")
	}, await.Nothing) || !hasLine(metrics, `gamedex_nodes{role="api"} 1`) || !hasLine(metrics, `gamedex_nodes{role="build"} 1`) {
		t.Errorf("the metrics are\n%s", metrics)
	}
	if _, ready := fetch(t, "GET", other.ops+"/readyz"); !strings.Contains(ready, shown.Warnings[0]) {
		t.Errorf("/readyz says %q", ready)
	}
	other.logs(`nodes have different values of --active-regions: first / second"`)
	other.stop()
	look(func() bool {
		return len(shown.Nodes) == 1 && len(shown.Warnings) == 1 && strings.HasPrefix(shown.Warnings[0], "no process makes snapshots")
	})
	start(t, dir, "--roles", "build", "--node-name", "first")
	look(func() bool {
		return len(shown.Nodes) == 2 && slices.Equal(shown.Warnings, []string{"several nodes are named first; give each its own --node-name"})
	})
}

// balancer is a load balancer before nodes with one public URL. It sends each request to
// the next node, and other requests to where they lead.
type balancer struct {
	public string   // host and port of the URL
	nodes  []string // addresses

	mu    sync.Mutex
	paths [][]string // that each node was asked for
	next  int
}

// RoundTrip implements http.RoundTripper.
func (b *balancer) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host != b.public {
		return plainTransport.RoundTrip(r)
	}
	b.mu.Lock()
	node := b.next % len(b.nodes)
	b.next++
	b.paths[node] = append(b.paths[node], r.URL.Path)
	b.mu.Unlock()
	sent := r.Clone(r.Context())
	sent.Host, sent.URL.Host = b.public, b.nodes[node]
	return plainTransport.RoundTrip(sent)
}

// TestProviderOverTwoNodes signs in with a provider at two processes behind a load
// balancer: the sign-in begins at one, comes back to the other, and is valid at both.
func TestProviderOverTwoNodes(t *testing.T) {
	enginetest.Need(t, "postgres")
	enginetest.NeedRedis(t)
	t.Parallel()
	dir := t.TempDir()
	usePostgres(t, dir)
	b := &balancer{public: "localhost:8080", paths: make([][]string, 2)}
	public := "http://" + b.public
	provider := oidctest.Start(t, oidctest.Behaviour{Person: oidctest.Person{Subject: "1", Email: "ann@example.org", Verified: true}},
		oidctest.Client{ID: "gamedex", Secret: "s3cret", ReturnTo: public + "/signin/oidc/callback"})
	must(t, dir, "", "migrate")
	must(t, dir, "a long enough password\n", "user", "create", "ann@example.org", "--password-stdin")
	counters := "redis://" + enginetest.NewRedis(t).Addr()
	for range 2 {
		addr := porttest.Addr(t)
		start(t, dir, "--addr", addr, "--roles", "api", "--counters", counters, "--public-url", public,
			"--oidc-issuer", provider.Issuer(), "--oidc-client-id", "gamedex", "--oidc-client-secret", "s3cret")
		b.nodes = append(b.nodes, addr)
	}
	ann := newPerson(t, public)
	ann.client.Transport = b
	status, end, page := ann.send("/signin/oidc?back=/profile", nil)
	if status != http.StatusOK || end != "/profile" || !strings.Contains(page, "ann@example.org") {
		t.Errorf("the sign-in ends with %d at %s: %.500s", status, end, page)
	}
	for range b.nodes {
		if status, end, _ := ann.send("/profile", nil); status != http.StatusOK || end != "/profile" {
			t.Errorf("afterwards: %d at %s", status, end)
		}
	}
	same(t, "requests to the first node", b.paths[0], "/signin/oidc", "/profile", "/profile")
	same(t, "requests to the second node", b.paths[1], "/signin/oidc/callback", "/profile")
}

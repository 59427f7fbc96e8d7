package main

import (
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// TestDocument checks that doc/scale.md has the tables that this program prints.
func TestDocument(t *testing.T) {
	document, err := os.ReadFile("../../doc/scale.md")
	if err != nil {
		t.Fatal(err)
	}
	for name, table := range map[string]string{"limits": limitsTable(docSeed, docDays), "publish": publishTable(docSeed)} {
		if !strings.Contains(string(document), table) {
			t.Errorf("doc/scale.md does not have the table of %s; run `go run ./scale` in bench:\n%s", name, table)
		}
	}
}

// TestPromise checks what doc/design.md, section 5, promises when the server that counts
// requests fails.
func TestPromise(t *testing.T) {
	for seed := range uint64(20) {
		for _, l := range []limits{
			{nodes: 50, counted: 50, minute: 30, demand: 4},
			{nodes: 7, counted: 7, minute: 100, demand: 3},
			{nodes: 20, counted: 20, minute: 200, demand: 2, forgets: true},
		} {
			o := l.run(rand.New(rand.NewPCG(seed, 0)), 3)
			promised := l.minute + l.nodes - 1
			if o.calm.most > l.minute || o.inside.most > promised || o.edge.most > 2*promised {
				t.Errorf("seed %d, %+v: %+v", seed, l, o)
			}
			if o.calm.number == 0 || o.edge.number == 0 || o.calm.most < l.minute {
				t.Errorf("seed %d, %+v: nothing happens: %+v", seed, l, o)
			}
		}
	}
}

// TestPublicationSharesTheBandwidth compares simulated times with those of arithmetic
// where all nodes begin at about the same time.
func TestPublicationSharesTheBandwidth(t *testing.T) {
	for _, c := range []struct {
		p    publication
		want float64
	}{
		{publication{nodes: 100, bytes: 1e9, bucket: 10e9, link: 10e9}, 10}, // the bucket is the limit
		{publication{nodes: 5, bytes: 1e9, bucket: 100e9, link: 0.5e9}, 2},  // the nodes are
	} {
		served := c.p.run(rand.New(rand.NewPCG(1, 0)))
		if last := served[len(served)-1]; last < c.want || last > c.want+pollEvery+0.1 {
			t.Errorf("%+v: the last node after %.2f s, want %.0f s and a poll", c.p, last, c.want)
		}
	}
}

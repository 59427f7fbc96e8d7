package main

import (
	"testing"

	"gamedex/internal/testing/await"
)

// TestBucketOverBadNetworks has a builder and two nodes that reach the S3 service over networks that are
// slow or lose a part of all connections. Each change arrives nevertheless, as a whole, and no goroutines
// or connections are left behind.
func TestBucketOverBadNetworks(t *testing.T) {
	k := newStock(400, "UA", "TR")
	k.noise = newCampaign(t).Rand // so that a snapshot is many packets
	n := newDeployment(t).underLoad(k)
	all := append([]*member{n.builder}, n.nodes...)
	before := map[*member]float64{}
	for _, m := range all {
		before[m] = m.metric("go_goroutines")
	}
	for _, network := range [][]string{
		{ // slow, with requests and answers in pieces
			`{"name":"jitter","type":"latency","stream":"downstream","attributes":{"latency":50,"jitter":50}}`,
			`{"name":"width","type":"bandwidth","stream":"upstream","attributes":{"rate":200}}`,
			`{"name":"pieces","type":"slicer","stream":"downstream","attributes":{"average_size":500,"size_variation":400,"delay":200}}`,
			`{"name":"close","type":"slow_close","stream":"downstream","attributes":{"delay":500}}`,
		},
		{ // cut in the middle, reset, or silent before an answer to a request that has arrived
			`{"name":"requests","type":"limit_data","stream":"upstream","toxicity":0.1,"attributes":{"bytes":3000}}`,
			`{"name":"answers","type":"limit_data","stream":"downstream","toxicity":0.1,"attributes":{"bytes":3000}}`,
			`{"name":"reset","type":"reset_peer","stream":"downstream","toxicity":0.1,"attributes":{"timeout":20}}`,
			`{"name":"silence","type":"timeout","stream":"downstream","toxicity":0.1,"attributes":{"timeout":1000}}`,
		},
	} {
		var watched []func()
		for _, m := range n.nodes {
			watched = append(watched, watchVersions(t, m.server, n.token, k))
		}
		for _, m := range all {
			m.s3.Break(t, network...)
		}
		for range 2 {
			n.change()
			n.changed()
		}
		for _, m := range all {
			m.s3.Heal()
		}
		n.change()
		n.changed()
		for _, done := range watched {
			done()
		}
		n.check()
	}
	for _, m := range all {
		await.That(t, "goroutines to end", func() bool { return m.metric("go_goroutines") < before[m]+20 })
	}
	n.finish()
}

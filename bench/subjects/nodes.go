package subjects

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"gamedex/bench/harness"
	"gamedex/bench/report"
	"gamedex/bench/sample"
)

const (
	nodesMemory = "account/me, counters in memory"
	nodesRedis  = "account/me, counters in Redis"
	nodesOne    = "mixed load, 1 node"
	nodesTwo    = "mixed load, 2 nodes"
	nodesFour   = "mixed load, 4 nodes"
	nodesTurns  = "mixed load, 4 nodes one after the other"
	bareOne     = "bare server, 1 process"
	bareTwo     = "bare server, 2 processes"
	bareFour    = "bare server, 4 processes"

	nodesConnections = 32
	nodesThreads     = 4
	nodesIDs         = 20 // of a request for prices

	// decidedAlone is the share of requests that a node decided without Redis, because the
	// machine was too busy for an answer in time.
	decidedAlone harness.Metric = "decided without Redis"
)

// measureNodes measures what it costs that several nodes answer requests: in CPU, in
// requests to the bucket, and in waiting for a Redis that does not answer.
func measureNodes(ctx context.Context, r *harness.Run) (_ report.Section, err error) {
	c, err := r.SampleCatalog(ctx)
	if err != nil {
		return report.Section{}, err
	}
	cluster, err := r.NewCluster(ctx, "nodes", c)
	if err != nil {
		return report.Section{}, err
	}
	defer func() { err = errors.Join(err, cluster.Close()) }()
	bucket, err := r.CountRequests(cluster.S3)
	if err != nil {
		return report.Section{}, err
	}
	var nodes []*harness.Service
	for range 4 {
		node, err := cluster.Node(ctx, cluster.Bucket(bucket.URL))
		if err != nil {
			return report.Section{}, err
		}
		nodes = append(nodes, node)
	}
	memory, err := cluster.Node(ctx, cluster.Bucket(bucket.URL), "--counters=memory")
	if err != nil {
		return report.Section{}, err
	}
	if bucket.Count() == 0 {
		return report.Section{}, errors.New("the nodes have started without a request to the bucket: they are not counted")
	}
	bare, err := startBareCopies(ctx, r, c, nodes[0], len(nodes))
	if err != nil {
		return report.Section{}, err
	}
	defer func() {
		for _, server := range bare {
			err = errors.Join(err, server.Stop())
		}
	}()
	ready, since := bucket.Count(), time.Now()
	results, err := measureNodeCPU(ctx, r, c, nodes, memory, bare)
	if err != nil {
		return report.Section{}, err
	}
	frozen, err := measureFrozenRedis(ctx, r, cluster, nodes[0])
	if err != nil {
		return report.Section{}, err
	}
	hours := time.Since(since).Hours() * float64(len(nodes)+1)
	return nodesSection(c, results, frozen, float64(bucket.Count()-ready), hours), nil
}

// startBareCopies starts servers that share nothing. They answer each request with the same
// card, so they show what it costs that several processes are busy on this machine.
func startBareCopies(ctx context.Context, r *harness.Run, c *harness.Catalog, node *harness.Service, copies int) ([]*harness.Service, error) {
	body, header, err := getRequests(cardPaths(r.Rng(32), c.View)[:1], node.Keys)[0].Fetch(ctx, node.URL)
	if err != nil {
		return nil, err
	}
	header.Del("Date") // net/http writes these two
	header.Del("Content-Length")
	var servers []*harness.Service
	for range copies {
		server, err := startBare(r, c, "nodes-bare", body, header)
		if err != nil {
			return nil, err
		}
		servers = append(servers, &harness.Service{Process: server.Process, URL: server.URL})
	}
	return servers, nil
}

// measureNodeCPU compares a node's counters, and the same load on one node and on several,
// and on as many servers that share nothing.
func measureNodeCPU(ctx context.Context, r *harness.Run, c *harness.Catalog, nodes []*harness.Service, memory *harness.Service, bare []*harness.Service) (*harness.Results, error) {
	var candidates []harness.Candidate
	add := func(name string, load harness.Load, counted ...*harness.Service) harness.Candidate {
		return aware(r.Wrk(ctx, name, load), counted)
	}
	keys := nodes[0].Keys
	me := getRequests(slices.Repeat([]string{stackPath}, len(keys)), keys)
	for _, side := range []struct {
		name string
		node *harness.Service
	}{{nodesMemory, memory}, {nodesRedis, nodes[0]}} {
		candidates = append(candidates, add(side.name, harness.Load{
			URL: side.node.URL, Server: side.node.Process, Requests: me, Connections: stackConnections,
		}, side.node))
	}
	mixed := mixedRequests(r, c, keys)
	if err := checkMixed(ctx, mixed, nodes); err != nil {
		return nil, fmt.Errorf("the nodes do not answer the same: %w", err)
	}
	spread := func(name string, asked, idle []*harness.Service) harness.Candidate {
		return add(name, mixedLoad(mixed, asked, idle), asked...)
	}
	candidates = append(candidates, spread(nodesOne, nodes[:1], nil), spread(nodesTwo, nodes[:2], nil), spread(nodesFour, nodes, nil))
	var turns []harness.Candidate
	for i, node := range nodes {
		turns = append(turns, spread(nodesTurns, []*harness.Service{node}, slices.Concat(nodes[:i], nodes[i+1:])))
	}
	candidates = append(candidates, inTurn(nodesTurns, turns))
	for i, name := range []string{bareOne, bareTwo, bareFour} {
		asked := bare[:1<<i]
		candidates = append(candidates, r.Wrk(ctx, name, mixedLoad(mixed, asked, nil)))
	}
	return r.Rounds(ctx, candidates...)
}

// mixedLoad returns the load on the servers that are asked.
func mixedLoad(mixed []harness.Request, asked, idle []*harness.Service) harness.Load {
	return harness.Load{
		URL: asked[0].URL, Server: asked[0].Process, Peers: peers(asked[1:]), Idle: peers(idle),
		Connections: nodesConnections, Threads: nodesThreads, Requests: mixed,
	}
}

func peers(nodes []*harness.Service) []harness.Peer {
	var list []harness.Peer
	for _, node := range nodes {
		list = append(list, harness.Peer{URL: node.URL, Server: node.Process})
	}
	return list
}

// inTurn returns a candidate whose rounds are those of all turns, with the means of their
// values.
func inTurn(name string, turns []harness.Candidate) harness.Candidate {
	return harness.Candidate{Name: name, Round: func(ctx context.Context) (harness.Values, error) {
		mean := harness.Values{}
		for _, turn := range turns {
			v, err := turn.Round(ctx)
			if err != nil {
				return nil, err
			}
			for m := range v {
				mean[m] += v[m] / float64(len(turns))
			}
		}
		return mean, nil
	}}
}

// aware returns a candidate that also measures [decidedAlone]. It begins when the nodes
// count in Redis.
func aware(c harness.Candidate, nodes []*harness.Service) harness.Candidate {
	return harness.Candidate{Name: c.Name, Round: func(ctx context.Context) (harness.Values, error) {
		for _, node := range nodes {
			if err := awaitAlone(ctx, node, 0); err != nil {
				return nil, err
			}
		}
		before := ownDecisions(nodes)
		began := time.Now()
		v, err := c.Round(ctx)
		if err != nil {
			return nil, err
		}
		v[decidedAlone] = (ownDecisions(nodes) - before) / (v[harness.Rate] * time.Since(began).Seconds())
		return v, nil
	}}
}

// ownDecisions returns how many requests nodes have decided without Redis.
func ownDecisions(nodes []*harness.Service) float64 {
	sum := 0.0
	for _, node := range nodes {
		n, _ := node.Metric("gamedex_counters_own_decisions_total") // no node that counts in memory has it
		sum += n
	}
	return sum
}

// awaitAlone waits until a node counts without Redis (1), or with it (0). A node that
// counts in memory has no such state.
func awaitAlone(ctx context.Context, node *harness.Service, want float64) error {
	return node.Await(ctx, harness.StartTimeout, func() bool {
		v, _ := node.Metric("gamedex_counters_alone")
		return v == want
	})
}

// mixedRequests returns requests of four kinds in turn: a search, a card, the key itself
// and the prices of some cards.
func mixedRequests(r *harness.Run, c *harness.Catalog, keys []string) []harness.Request {
	const each = 1024
	rng := r.Rng(31)
	searches, cards := searchPaths(apiPath+"/catalog/search", sample.TypedQueries(rng, c.View, each)), cardPaths(rng, c.View)
	var list []harness.Request
	for i, ids := range c.RandomIDs(rng, each, nodesIDs) {
		key := keys[i%len(keys)]
		list = append(list, getRequests([]string{searches[i], cards[i], stackPath}, []string{key})...)
		list = append(list, pricesRequest(harness.PricesBody(ids, nil)).WithHeader("Authorization: Bearer "+key))
	}
	return list
}

// checkMixed checks that all nodes give the same answers from the catalog.
func checkMixed(ctx context.Context, mixed []harness.Request, nodes []*harness.Service) error {
	for _, request := range mixed[:64] {
		if request.Path == stackPath { // has when the key was last used
			continue
		}
		want, _, err := request.Fetch(ctx, nodes[0].URL)
		if err != nil {
			return err
		}
		for _, node := range nodes[1:] {
			got, _, err := request.Fetch(ctx, node.URL)
			if err == nil {
				err = compareAnswers(got, want)
			}
			if err != nil {
				return fmt.Errorf("%s %s: %w", request.Method, request.Path, err)
			}
		}
	}
	return nil
}

// The phases of a Redis that stops answering.
const (
	frozenBefore = "Redis answers"
	frozenFirst  = "Redis is frozen, the node notices"
	frozenAlone  = "Redis is frozen, the node counts alone"

	frozenCallers = 8

	answers harness.Metric = "answers"
	longest harness.Metric = "longest µs"
)

// measureFrozenRedis freezes Redis several times, while callers ask a node for their key.
func measureFrozenRedis(ctx context.Context, r *harness.Run, cluster *harness.Cluster, node *harness.Service) (*harness.Results, error) {
	results := harness.NewResults(frozenBefore, frozenFirst, frozenAlone)
	for round := range harness.Pick(r, 3, 7) {
		if err := awaitAlone(ctx, node, 0); err != nil {
			return nil, err
		}
		if err := freezeOnce(ctx, r, cluster, node, results); err != nil {
			return nil, fmt.Errorf("freeze Redis, round %d: %w", round+1, err)
		}
	}
	return results, nil
}

func freezeOnce(ctx context.Context, r *harness.Run, cluster *harness.Cluster, node *harness.Service, results *harness.Results) (err error) {
	callers := startCallers(ctx, node, stackPath, frozenCallers, 4*time.Millisecond)
	defer func() { err = errors.Join(err, callers.stop(), cluster.Redis.Thaw()) }()
	phase := func(name string, long time.Duration) {
		time.Sleep(long)
		v := callers.phase()
		results.Add(name, v)
		r.Logf("  %-40s %v", name, v)
	}
	long := harness.Pick(r, time.Second/2, 2*time.Second)
	phase(frozenBefore, long)
	if err := cluster.Redis.Freeze(); err != nil {
		return err
	}
	if err := awaitAlone(ctx, node, 1); err != nil {
		return err
	}
	phase(frozenFirst, 200*time.Millisecond) // calls that have begun end within 100 ms
	phase(frozenAlone, long)
	return nil
}

func nodesSection(c *harness.Catalog, results, frozen *harness.Results, requests, hours float64) report.Section {
	against := func(name string) harness.Figure { return results.Ratio(harness.CPU, name, nodesOne) }
	beside := func(name, bare string) harness.Figure {
		return results.RatioOfRatios(harness.CPU, name, nodesOne, bare, bareOne)
	}
	milliseconds := func(phase string) harness.Figure {
		f, _ := frozen.Of(phase, longest)
		return harness.Figure{Median: f.Median / 1000, Low: f.Low / 1000, High: f.High / 1000}
	}
	return report.Section{
		Title: "Several nodes",
		Intro: fmt.Sprintf("Nodes with the role api, processes of the program that share PostgreSQL, Redis and an S3 service on this machine; %d cards. account/me has %d connections. "+
			"The mixed load is the same on one node and on several: a search, a card, account/me and the prices of %d cards in turn, over %d connections. "+
			"CPU is that of all nodes, not of the servers that they share. Four busy nodes also compete for this machine's %d cores and their caches; nodes on machines of their own do not. "+
			"How much that costs shows with processes of net/http alone, which answer the same requests with one card and share nothing: what nodes cost more than these is their own. "+
			"It does not happen when all four nodes run, but each in turn gets the whole load.", c.View.Len(), stackConnections, nodesIDs, nodesConnections, runtime.NumCPU()),
		Goals: []report.Goal{
			{What: "account/me, CPU of the node: counters in Redis / in memory", AtMost: true, Limit: 2.2, Stretch: 1.7, Unit: "x", Figure: results.Ratio(harness.CPU, nodesRedis, nodesMemory)},
			{What: "CPU a request: 2 nodes / 1 node", AtMost: true, Limit: 1.1, Stretch: 1.03, Unit: "x", Figure: against(nodesTwo)},
			{What: "CPU a request: 4 nodes / 1 node", AtMost: true, Limit: 1.1, Stretch: 1.03, Unit: "x", Figure: against(nodesFour)},
			{What: "CPU a request: 2 nodes / 1 node, divided by that of 2 bare servers / 1", AtMost: true, Limit: 1.1, Stretch: 1.03, Unit: "x", Figure: beside(nodesTwo, bareTwo)},
			{What: "CPU a request: 4 nodes / 1 node, divided by that of 4 bare servers / 1", AtMost: true, Limit: 1.1, Stretch: 1.03, Unit: "x", Figure: beside(nodesFour, bareFour)},
			{What: "CPU a request: 4 nodes, one after the other / 1 node", AtMost: true, Limit: 1.1, Stretch: 1.03, Unit: "x", Figure: against(nodesTurns)},
			{What: "bucket requests of an idle node in an hour", AtMost: true, Limit: 10, Stretch: 2, Figure: harness.Exactly(requests / hours)},
			{What: "longest answer when Redis is frozen, until the node notices", AtMost: true, Limit: 110, Unit: " ms", Figure: milliseconds(frozenFirst)},
			{What: "longest answer after that", AtMost: true, Limit: 5, Unit: " ms", Figure: milliseconds(frozenAlone)},
		},
		Tried: "Four bare servers, which share nothing, cost about as much more when they compete for the cores of this machine: compare the goals that are divided by theirs, and the nodes that " +
			"run one after the other. Each node checks every 10 s whether it can read the bucket, so that /readyz can report it. It is not known why an answer can take a second when Redis " +
			"freezes.",
		Tables: []report.Table{
			report.Compare("Ratios are to one node with the mixed load.", results, nodesOne, harness.CPU, harness.Rate, harness.P50, harness.P99),
			report.Medians("The share of requests that a node decided without Redis, because Redis did not answer in time. Such a request costs less CPU, so the share must be close to 0:", results, decidedAlone),
			report.Medians(fmt.Sprintf("Answers to account/me for %d callers, each with a pause of 4 ms, while Redis is stopped by SIGSTOP (medians of the rounds):", frozenCallers), frozen,
				answers, harness.P50, harness.P99, longest),
		},
		Notes: []string{fmt.Sprintf("Requests to the bucket are counted by a proxy before the S3 service, from when all nodes are ready until the end of this subject, while nothing is published: "+
			"%.0f requests in %.2f node-hours. A builder also lists the bucket every ten minutes; it is not counted.", requests, hours)},
	}
}

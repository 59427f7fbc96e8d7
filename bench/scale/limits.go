package main

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"gamedex/internal/quota"
)

const (
	second = 1000 // of simulated time, in milliseconds
	minute = 60 * second
)

// limits is a simulation of one key whose requests reach all nodes.
type limits struct {
	nodes   int
	counted int     // how many nodes each of them believes there are
	minute  int     // the key's limit
	demand  float64 // requests a minute, in limits
	forgets bool    // the server loses its memory in each outage
}

// windows says how much was allowed at most in the minutes of a kind.
type windows struct {
	number int
	most   int
}

func (w *windows) add(passed int) { w.number, w.most = w.number+1, max(w.most, passed) }

// outcome counts the minutes of a simulation by what happened in them.
type outcome struct {
	calm   windows // the server answered all nodes all the time
	inside windows // it answered nobody
	edge   windows // an outage of some or all nodes began or ended
	used   int     // the most that the server ever had in a minute
}

// simNode is what one node knows of the key.
type simNode struct {
	known, granted quota.Pair
	alone          bool
	probe          int64 // when it tries the server again
}

// outage is when some nodes cannot reach the server.
type outage struct {
	from, to int64
	all      bool
	cut      map[int]bool
}

func (o *outage) hits(node int, at int64) bool {
	return at >= o.from && at < o.to && (o.all || o.cut[node])
}

// run simulates hours of requests.
func (l limits) run(rng *rand.Rand, hours int) (out outcome) {
	end := int64(hours) * 60 * minute
	outages := l.outages(rng, end)
	nodes := make([]simNode, l.nodes)
	var server quota.Pair
	passed := make([]int, end/minute)
	limit := quota.Limits{Minute: l.minute, Day: quota.MaxDay}
	next, gap := 0, float64(minute)/(l.demand*float64(l.minute))
	for at := rng.ExpFloat64() * gap; at < float64(end); at += rng.ExpFloat64() * gap {
		now := int64(at)
		for next < len(outages) && now >= outages[next].to {
			if l.forgets {
				server = quota.Pair{}
			}
			next++
		}
		i := rng.IntN(l.nodes)
		cut := next < len(outages) && outages[next].hits(i, now)
		if nodes[i].take(&server, cut, limit, l.counted, now, rng) {
			passed[now/minute]++
		}
		out.used = max(out.used, server.Key.At(now).MinuteUsed)
	}
	for m, n := range passed {
		switch from, to := int64(m)*minute, int64(m+1)*minute; kindOf(outages, from, to) {
		case "calm":
			out.calm.add(n)
		case "inside":
			out.inside.add(n)
		default:
			out.edge.add(n)
		}
	}
	return out
}

// take decides about a request at a node, as package quota/shared does: it asks the
// server if it can, tells it first what it granted alone, and raises one that has
// lost its memory.
func (n *simNode) take(server *quota.Pair, cut bool, l quota.Limits, counted int, now int64, rng *rand.Rand) bool {
	if n.alone && !cut && now >= n.probe {
		n.alone = false
	}
	if !n.alone && !cut {
		server.Key = server.Key.Max(n.known.Key.At(now)).Add(n.granted.Key.At(now))
		n.granted = quota.Pair{}
		after, d := server.Take(l, quota.Owner{}, now)
		*server, n.known = after, after
		return d.Allowed
	}
	if !n.alone || now >= n.probe {
		n.alone, n.probe = true, now+second/2+rng.Int64N(second)
	}
	granted, d := n.known.TakeShare(n.granted, l, quota.Owner{}, counted, now)
	n.granted = granted
	return d.Allowed
}

// outages draws one outage in about ten minutes: short or long, of all nodes or of
// some.
func (l limits) outages(rng *rand.Rand, end int64) (list []outage) {
	for at := int64(0); ; {
		at += rng.Int64N(16*minute) + minute
		long := rng.Int64N(20*second) + second
		if rng.IntN(2) == 0 {
			long = rng.Int64N(6*minute) + minute
		}
		if at+long >= end {
			return list
		}
		o := outage{from: at, to: at + long, all: l.forgets || rng.IntN(3) > 0, cut: map[int]bool{}}
		for range rng.IntN(l.nodes) {
			o.cut[rng.IntN(l.nodes)] = true
		}
		list = append(list, o)
		at += long + 2*minute // the grants of one outage are reported before the next
	}
}

// settled is how long after an outage a node may still count alone.
const settled = 3 * second / 2

func kindOf(outages []outage, from, to int64) string {
	for _, o := range outages {
		switch {
		case o.all && o.from <= from && o.to >= to:
			return "inside"
		case o.from < to && o.to+settled > from:
			return "edge"
		}
	}
	return "calm"
}

func limitsTable(seed uint64, days int) string {
	var b strings.Builder
	b.WriteString("| nodes, known to each | limit a minute | the server | no outage | inside an outage | it begins or ends |\n|---|---|---|---|---|---|\n")
	for i, l := range []limits{
		{nodes: 50, counted: 50, minute: 30, demand: 4},
		{nodes: 50, counted: 50, minute: 600, demand: 4},
		{nodes: 50, counted: 50, minute: 600, demand: 4, forgets: true},
		{nodes: 50, counted: 40, minute: 600, demand: 4},
		{nodes: 50, counted: 60, minute: 600, demand: 4},
		{nodes: 10, counted: 10, minute: 600, demand: 4},
	} {
		o := l.run(rand.New(rand.NewPCG(seed, uint64(i))), days*24)
		memory := "keeps its memory"
		if l.forgets {
			memory = "comes back empty"
		}
		fmt.Fprintf(&b, "| %d, %d | %d | %s | %d | %d | %d (%.2fx) |\n", l.nodes, l.counted, l.minute, memory,
			o.calm.most, o.inside.most, o.edge.most, float64(o.edge.most)/float64(l.minute))
	}
	return b.String()
}

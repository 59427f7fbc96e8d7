package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// publication is a snapshot on its way to the nodes.
type publication struct {
	nodes  int
	bytes  float64 // that each node reads from the bucket
	plain  float64 // that it decompresses, checks and opens
	bucket float64 // bytes a second to all nodes together
	link   float64 // bytes a second to one node
}

const (
	pollEvery = 0.5   // seconds between two questions for the number
	roundTrip = 0.01  // seconds for a small request to the database or the bucket
	inflate   = 300e6 // bytes a second, plain: zstd on a busy machine
	open      = 2.4e9 // bytes a second: 218 MB in 88 ms (bench/RESULTS.md, "Open a snapshot")
)

// step is how finely time is divided.
const step = 0.005

// run returns after how many seconds each node serves it, in rising order. All nodes
// that read at a time share the bucket's bandwidth.
func (p publication) run(rng *rand.Rand) []float64 {
	type reader struct{ begins, left, ends float64 }
	readers := make([]reader, p.nodes)
	for i := range readers {
		// The number, the manifest, and the first byte of the blob: three small requests.
		readers[i] = reader{begins: rng.Float64()*pollEvery + 3*roundTrip, left: p.bytes}
	}
	for now, waiting := 0.0, p.nodes; waiting > 0; now += step {
		active := 0
		for _, r := range readers {
			if r.ends == 0 && r.begins <= now {
				active++
			}
		}
		rate := min(p.link, p.bucket/float64(max(active, 1)))
		for i := range readers {
			r := &readers[i]
			if r.ends > 0 || r.begins > now {
				continue
			}
			if r.left -= rate * step; r.left <= 0 {
				r.ends = now + step
				waiting--
			}
		}
	}
	var served []float64
	for _, r := range readers {
		served = append(served, r.ends+p.plain/inflate+p.plain/open)
	}
	slices.Sort(served)
	return served
}

// A prices blob of 24 M regional prices, and what of it a bucket stores.
const (
	bytesOfPrice = 24.3 // bench/RESULTS.md, "Open a snapshot"
	compressed   = 0.31 // of a prices blob, by zstd
	ofDelta      = 0.012
	pricesBlob   = 24e6 * bytesOfPrice
)

func publishTable(seed uint64) string {
	var b strings.Builder
	b.WriteString("| nodes | bandwidth of the bucket | half of the nodes after | the last after | with deltas |\n|---|---|---|---|---|\n")
	for i, nodes := range []int{50, 200, 1000} {
		for j, gigabits := range []float64{10, 40} {
			p := publication{nodes: nodes, plain: pricesBlob, bytes: pricesBlob * compressed, bucket: gigabits * 1e9 / 8, link: 10e9 / 8}
			full := p.run(rand.New(rand.NewPCG(seed, uint64(i*10+j))))
			p.bytes *= ofDelta / compressed
			p.plain *= ofDelta
			delta := p.run(rand.New(rand.NewPCG(seed, uint64(i*10+j))))
			fmt.Fprintf(&b, "| %d | %.0f Gbit/s | %.1f s | %.1f s | %.1f s |\n", nodes, gigabits, full[nodes/2], full[nodes-1], delta[nodes-1])
		}
	}
	return b.String()
}

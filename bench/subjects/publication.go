package subjects

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"runtime"
	"slices"
	"sync"
	"time"

	"gamedex/bench/harness"
	"gamedex/bench/report"
	"gamedex/bench/sample"
	"gamedex/internal/catalog"
	"gamedex/internal/index"
	"gamedex/internal/money"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/engine"
)

const (
	publicationNodes   = 10
	publicationChanges = 1000            // listings with another price, in one transaction
	publicationTimeout = 5 * time.Minute // for all nodes to serve them

	publishedFirst harness.Metric = "the first after ms"
	publishedLast  harness.Metric = "the last after ms"
	builtIn        harness.Metric = "of it the build ms"
	nodeCPU        harness.Metric = "CPU of a node ms"
)

// measurePublication measures how long a changed price takes from its commit to the
// answers of all nodes.
func measurePublication(ctx context.Context, r *harness.Run) (report.Section, error) {
	small, err := r.Catalog(ctx, harness.Shape{Cards: 1000, Regions: 4})
	if err != nil {
		return report.Section{}, err
	}
	smallResults, err := measurePublicationOf(ctx, r, small, harness.Pick(r, 3, 7))
	if err != nil {
		return report.Section{}, err
	}
	large, err := largeCatalog(ctx, r)
	if err != nil {
		return report.Section{}, err
	}
	largeResults, err := measurePublicationOf(ctx, r, large, harness.Pick(r, 3, 5))
	if err != nil {
		return report.Section{}, err
	}
	seconds, _ := smallResults.Of(publicationSide(small, publicationNodes), publishedLast)
	table := func(c *harness.Catalog, results *harness.Results) report.Table {
		return report.Compare("", results, publicationSide(c, 1), publishedLast, publishedFirst, builtIn, nodeCPU)
	}
	return report.Section{
		Title: "Publication to several nodes",
		Intro: fmt.Sprintf("From the commit of %d changed prices until nodes answer with them. A builder and %d nodes on PostgreSQL, Redis and an S3 service, all on this machine. "+
			"A client sends each node a request for one of the prices, and again %v after each old price. In the rows with one node, SIGSTOP stops the other nodes. "+
			"The builder has rested after its last build, so no build before delays this one. It waits 250 ms for further changes, and a node asks twice a second for the number of the newest "+
			"manifest. All nodes read, check and open the new blob at the same time, with %d cores between them; on machines of their own they would not wait for each other. The CPU of a node is that of the time measured.",
			publicationChanges, publicationNodes, publicationPause, runtime.NumCPU()),
		Goals: []report.Goal{
			{What: fmt.Sprintf("%d cards: commit to the last of %d nodes", small.View.Len(), publicationNodes), AtMost: true, Limit: 1.5, Stretch: 0.8, Unit: " s",
				Figure: harness.Figure{Median: seconds.Median / 1000, Low: seconds.Low / 1000, High: seconds.High / 1000}},
			{What: fmt.Sprintf("%d cards in %d regions: the last of %d nodes / one node", large.View.Len(), large.Shape.Regions, publicationNodes), AtMost: true, Limit: 2, Stretch: 1.5, Unit: "x",
				Figure: largeResults.Ratio(publishedLast, publicationSide(large, publicationNodes), publicationSide(large, 1))},
		},
		Tables: []report.Table{table(small, smallResults), table(large, largeResults)},
	}, nil
}

// publicationSide names the candidate with n nodes.
func publicationSide(c *harness.Catalog, n int) string {
	nodes := "nodes"
	if n == 1 {
		nodes = "node"
	}
	return fmt.Sprintf("%d x %d, %d %s", c.View.Len(), c.Shape.Regions, n, nodes)
}

// publication is a cluster whose prices are changed.
type publication struct {
	run     *harness.Run
	cluster *harness.Cluster
	db      *sqldb.DB
	nodes   []*harness.Service
	changes *priceChanges
	rng     *rand.Rand
	rested  time.Time // when the builder builds again without delay
}

func measurePublicationOf(ctx context.Context, r *harness.Run, c *harness.Catalog, rounds int) (_ *harness.Results, err error) {
	p := &publication{run: r, changes: &priceChanges{sample: c.Sample, regions: c.Shape.Regions, at: sample.Observed(), rng: r.Rng(9)}, rng: r.Rng(10)}
	if p.cluster, err = r.NewCluster(ctx, "publication", c); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.cluster.Close()) }()
	if p.db, err = sqldb.Open(ctx, p.cluster.DSN, engine.Options{}); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.db.Close()) }()
	for range publicationNodes {
		node, err := p.cluster.Node(ctx)
		if err != nil {
			return nil, err
		}
		p.nodes = append(p.nodes, node)
	}
	var candidates []harness.Candidate
	for _, n := range []int{1, publicationNodes} {
		candidates = append(candidates, harness.Candidate{Name: publicationSide(c, n), Round: func(ctx context.Context) (harness.Values, error) {
			return p.round(ctx, c.View, n)
		}})
	}
	// The rest after a whole build is long, but the first change is published within a minute.
	if _, err := p.round(ctx, c.View, publicationNodes); err != nil {
		return nil, err
	}
	return harness.Rounds(ctx, rounds, r.Rng(uint64(len(candidates))), candidates, func(round int, name string, v harness.Values) {
		r.Logf("  round %d  %-40s %v", round, name, v)
	})
}

// round changes prices and waits until the first n nodes answer with one of them. The
// others are frozen meanwhile.
func (p *publication) round(ctx context.Context, v *index.View, n int) (_ harness.Values, err error) {
	changed := p.changes.firstListings(publicationChanges)
	asked, err := findAsked(v, changed, p.nodes[0].Keys)
	if err != nil {
		return nil, err
	}
	if err := p.awaitRest(ctx); err != nil {
		return nil, err
	}
	for _, node := range p.nodes[n:] {
		if err := node.Freeze(); err != nil {
			return nil, err
		}
	}
	before, err := cpuTimes(p.nodes[:n])
	if err != nil {
		return nil, err
	}
	if _, err := p.db.Listings.Save(ctx, changed); err != nil {
		return nil, err
	}
	first, last, err := p.served(ctx, p.nodes[:n], asked)
	if err != nil {
		return nil, err
	}
	after, err := cpuTimes(p.nodes[:n])
	if err != nil {
		return nil, err
	}
	for _, node := range p.nodes[n:] {
		if err := node.Thaw(); err != nil {
			return nil, err
		}
	}
	if _, _, err := p.served(ctx, p.nodes, asked); err != nil {
		return nil, err
	}
	return harness.Values{
		publishedFirst: first, publishedLast: last, builtIn: p.hasBuilt(), nodeCPU: (after - before).Seconds() * 1000 / float64(n),
	}, nil
}

// cpuTimes returns the CPU time that all nodes have used together.
func cpuTimes(nodes []*harness.Service) (sum time.Duration, err error) {
	for _, node := range nodes {
		used, err := harness.CPUTime(node.PID)
		if err != nil {
			return 0, err
		}
		sum += used
	}
	return sum, nil
}

// askedPrice is a changed price, and the request that shows whether a node serves it.
type askedPrice struct {
	request harness.Request
	region  catalog.Region
	want    money.Amount
}

// findAsked returns one of the changed prices that the view shows in a card.
func findAsked(v *index.View, changed []catalog.Listing, keys []string) (askedPrice, error) {
	want := map[catalog.Key]money.Amount{}
	for i := range changed {
		if p := changed[i].Price; p != nil && p.Current.Known() {
			want[changed[i].Key] = p.Current
		}
	}
	for i := range v.Len() {
		card := v.Card(i)
		rows := card.Rows()
		for j := range rows.Len() {
			row := rows.At(j)
			region := v.Region(row.Region).Code
			current, ok := want[catalog.Key{Platform: card.Platform(), Region: region, Product: row.Product()}]
			if ok {
				query := url.Values{"ids": {card.ID()}, "regions": {region.String()}}
				request := getRequests([]string{apiPath + "/catalog/prices?" + query.Encode()}, keys)[0]
				return askedPrice{request, region, current}, nil
			}
		}
	}
	return askedPrice{}, errors.New("no changed price is in a card")
}

// publicationPause is how long a node is not asked after it has answered with an old price.
// With 20 ms, a tenth of the nodes' CPU time went into these answers.
const publicationPause = 50 * time.Millisecond

// served waits until all nodes answer with a price. It returns after how many
// milliseconds the first and the last of them did.
func (p *publication) served(ctx context.Context, nodes []*harness.Service, asked askedPrice) (first, last float64, err error) {
	ctx, cancel := context.WithTimeout(ctx, publicationTimeout)
	defer cancel()
	began := time.Now()
	times, errs := make([]float64, len(nodes)), make([]error, len(nodes))
	var waiting sync.WaitGroup
	for i, node := range nodes {
		waiting.Go(func() {
			for errs[i] == nil && times[i] == 0 {
				var current money.Amount
				if current, errs[i] = asked.from(ctx, node); errs[i] == nil && current == asked.want {
					times[i] = time.Since(began).Seconds() * 1000
				} else {
					time.Sleep(publicationPause)
				}
			}
		})
	}
	waiting.Wait()
	return slices.Min(times), slices.Max(times), errors.Join(errs...)
}

// from asks a node for the price.
func (a askedPrice) from(ctx context.Context, node *harness.Service) (money.Amount, error) {
	body, _, err := a.request.FetchBy(ctx, http.DefaultClient, node.URL)
	if err != nil {
		return 0, err
	}
	var answer struct {
		Data struct {
			Items []struct {
				Regions map[string]struct{ Current *money.Amount }
			}
		}
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return 0, fmt.Errorf("%s: %w", a.request.Path, err)
	}
	for _, item := range answer.Data.Items {
		if current := item.Regions[a.region.String()].Current; current != nil {
			return *current, nil
		}
	}
	return 0, fmt.Errorf("%s: no price in %.300s", a.request.Path, body)
}

// hasBuilt notes that the builder has just built, and waits nine times as long as that
// took. It returns how many milliseconds the build took.
func (p *publication) hasBuilt() float64 {
	seconds, _ := p.cluster.Builder.Metric(`gamedex_build_seconds{step="all"}`)
	p.rested = time.Now().Add(time.Duration(9 * seconds * float64(time.Second)))
	return seconds * 1000
}

// awaitRest waits until the builder has rested, and up to half a second longer: the nodes
// ask for the newest number every half second, in a rhythm that the changes must not keep.
func (p *publication) awaitRest(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Until(p.rested) + time.Duration(p.rng.Int64N(int64(time.Second/2)))):
		return nil
	}
}

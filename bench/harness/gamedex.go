package harness

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"gamedex/bench/sample"
)

// Service is the program, answering requests.
type Service struct {
	*Process
	URL  string   // of the API, without a path
	Keys []string // tokens; no round exhausts their limits

	ops string // URL of the operations listener
}

// keyCount is how many keys the load uses in turn. A single key would reach its
// limit of 262,143 requests a minute within seconds.
const keyCount = 16

// ServeSample is Serve for the catalog that most subjects use.
func (r *Run) ServeSample(ctx context.Context) (*Catalog, *Service, error) {
	c, err := r.SampleCatalog(ctx)
	if err != nil {
		return nil, nil, err
	}
	s, err := r.Serve(ctx, c)
	return c, s, err
}

// Serve starts the program on a catalog, with the API alone.
func (r *Run) Serve(ctx context.Context, c *Catalog) (*Service, error) {
	if err := r.makeKeys(ctx, c); err != nil {
		return nil, err
	}
	addr, err := FreePort()
	if err != nil {
		return nil, err
	}
	p, ops, err := r.serve(ctx, c.DataDir, nil, "--roles=api", "--addr="+addr)
	if err != nil {
		return nil, err
	}
	s := &Service{Process: p, URL: "http://" + addr, Keys: c.keys, ops: ops}
	return s, s.Await(ctx, StartTimeout, s.ready)
}

// ServeAndBuild starts the program on a catalog as one process that does everything,
// with an empty folder for its snapshots. It returns once the service is ready, after
// the first load of all listings.
func (r *Run) ServeAndBuild(ctx context.Context, c *Catalog) (*Service, error) {
	dir, err := os.MkdirTemp(r.Dir, "snapshots-")
	if err != nil {
		return nil, err
	}
	addr, err := FreePort()
	if err != nil {
		return nil, err
	}
	p, ops, err := r.serve(ctx, c.DataDir, nil, "--addr="+addr, "--bucket="+dir)
	if err != nil {
		return nil, err
	}
	s := &Service{Process: p, URL: "http://" + addr, ops: ops}
	return s, s.Await(ctx, buildTimeout, s.ready)
}

// ready reports whether the service is ready to answer requests.
func (s *Service) ready() bool {
	_, err := get(s.ops + "/readyz")
	return err == nil
}

// Metric returns the value of a metric, written as in /metrics with its labels. It returns
// false if the service does not have it, or does not answer.
func (s *Service) Metric(name string) (float64, bool) {
	body, err := get(s.ops + "/metrics")
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(body)) {
		if text, ok := strings.CutPrefix(line, name+" "); ok {
			v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
			return v, err == nil
		}
	}
	return 0, false
}

// serve starts "gamedex serve", with further environment variables, and returns the URL of
// its operations listener.
func (r *Run) serve(ctx context.Context, dataDir string, env []string, flags ...string) (*Process, string, error) {
	program, err := r.Program(ctx)
	if err != nil {
		return nil, "", err
	}
	ops, err := FreePort()
	if err != nil {
		return nil, "", err
	}
	args := append([]string{"serve", "--data-dir=" + dataDir, "--ops-addr=" + ops, "--rates=off", "--log-level=warn", "--drain=0s"}, flags...)
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), env...)
	p, err := r.Start("gamedex", cmd)
	return p, "http://" + ops, err
}

// get returns the body of an answer with the status 200.
func get(url string) ([]byte, error) {
	client := http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Get(url)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", url, res.Status)
	}
	return io.ReadAll(res.Body)
}

// makeKeys creates a catalog's keys unless it has them.
func (r *Run) makeKeys(ctx context.Context, c *Catalog) error {
	for len(c.keys) < keyCount {
		out, err := r.Command(ctx, "key", "create", "--data-dir="+c.DataDir, "--name=bench", "--json",
			"--limit-minute=262143", "--limit-day=4194303")
		if err != nil {
			return err
		}
		var created struct{ Key string }
		if err := json.Unmarshal(out, &created); err != nil || created.Key == "" {
			return fmt.Errorf("create key: no token in %q", out)
		}
		c.keys = append(c.keys, created.Key)
	}
	return nil
}

// importRates imports rates for every currency of the sample.
func (r *Run) importRates(ctx context.Context, dataDir string) error {
	file := filepath.Join(r.Dir, "rates.json")
	if err := os.WriteFile(file, []byte(sample.Rates), 0o644); err != nil {
		return err
	}
	_, err := r.Command(ctx, "rates", "import", "--data-dir="+dataDir, file)
	return err
}

// buildTimeout is how long a builder may take to publish its first snapshot: one
// of six million listings takes several minutes on a slow machine.
const buildTimeout = 15 * time.Minute

// buildOnce runs the program as a builder until it has published a snapshot.
func (r *Run) buildOnce(ctx context.Context, dataDir string) error {
	p, _, err := r.serve(ctx, dataDir, nil, "--roles=build")
	if err != nil {
		return err
	}
	defer p.Stop()
	published := func() bool {
		_, err := ReadSnapshot(ctx, filepath.Join(dataDir, "snapshots"))
		return err == nil
	}
	if err := p.Await(ctx, buildTimeout, published); err != nil {
		return err
	}
	return p.Stop()
}

package lab

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"gamedex/bench/sample"
	"gamedex/internal/bucket"
	"gamedex/internal/publish"
)

// Service is the program itself, answering requests.
type Service struct {
	*Process
	URL  string   // of the API, without a path
	Keys []string // tokens that nobody can use up within a round
}

// keyCount is how many keys the load takes in turn: one alone would come to its
// limit of 262,143 requests a minute in some seconds of a small endpoint.
const keyCount = 16

// Serve starts the program on a catalog, with nothing but its API.
func (l *Lab) Serve(ctx context.Context, c *Catalog) (*Service, error) {
	if err := l.makeKeys(ctx, c); err != nil {
		return nil, err
	}
	addr, err := FreePort()
	if err != nil {
		return nil, err
	}
	p, ops, err := l.start(ctx, c.DataDir, "--roles=api", "--addr="+addr)
	if err != nil {
		return nil, err
	}
	s := &Service{Process: p, URL: "http://" + addr, Keys: c.keys}
	if err := p.Await(ctx, func() bool { return answers(ops + "/readyz") }); err != nil {
		return nil, err
	}
	return s, nil
}

// start runs the program's server on a data folder and gives the address of its
// operations listener.
func (l *Lab) start(ctx context.Context, dataDir string, flags ...string) (*Process, string, error) {
	program, err := l.Program(ctx)
	if err != nil {
		return nil, "", err
	}
	ops, err := FreePort()
	if err != nil {
		return nil, "", err
	}
	args := append([]string{"serve", "--data-dir=" + dataDir, "--ops-addr=" + ops, "--rates=off", "--log-level=warn"}, flags...)
	p, err := l.Start("gamedex", exec.Command(program, args...))
	return p, "http://" + ops, err
}

func answers(url string) bool {
	client := http.Client{Timeout: time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Get(url)
	if err != nil {
		return false
	}
	res.Body.Close()
	return res.StatusCode == http.StatusOK
}

// makeKeys makes a catalog's keys when they are first needed.
func (l *Lab) makeKeys(ctx context.Context, c *Catalog) error {
	for len(c.keys) < keyCount {
		printed, err := l.Run(ctx, "key", "create", "--data-dir="+c.DataDir, "--name=bench", "--json",
			"--limit-minute=262143", "--limit-day=4194303")
		if err != nil {
			return err
		}
		var made struct{ Key string }
		if err := json.Unmarshal([]byte(printed), &made); err != nil || made.Key == "" {
			return fmt.Errorf("create key: no token in %q", printed)
		}
		c.keys = append(c.keys, made.Key)
	}
	return nil
}

// importRates gives the program rates for every currency of the sample.
func (l *Lab) importRates(ctx context.Context, dataDir string) error {
	file := filepath.Join(l.Dir, "rates.json")
	if err := os.WriteFile(file, []byte(sample.Rates), 0o644); err != nil {
		return err
	}
	_, err := l.Run(ctx, "rates", "import", "--data-dir="+dataDir, file)
	return err
}

// buildOnce runs the program as a builder until the first snapshot is out.
// Because nothing is stored meanwhile, that one has everything.
func (l *Lab) buildOnce(ctx context.Context, dataDir string) error {
	p, _, err := l.start(ctx, dataDir, "--roles=build")
	if err != nil {
		return err
	}
	defer p.Stop()
	dir := filepath.Join(dataDir, "snapshots")
	if err := p.Await(ctx, func() bool { return isPublished(ctx, dir) }); err != nil {
		return err
	}
	return p.Stop()
}

func isPublished(ctx context.Context, dir string) bool {
	folder, err := bucket.OpenFolder(dir)
	if err != nil {
		return false
	}
	defer folder.Close()
	_, err = publish.Latest(ctx, folder, func(error) {})
	return err == nil
}

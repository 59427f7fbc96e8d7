package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"gamedex/bench/harness"
	"gamedex/bench/sample"
	"gamedex/internal/testing/storesim"
)

// The catalog: simulated stores in three countries, and a sample that is imported in two others.
const (
	storeGames  = 150 // of each simulated store
	storeDay    = time.Minute
	sampleCards = 1000
	countries   = "UA,TR,PL,IN,US"
)

// startStores starts the simulated stores. It returns the flags of a process that collects
// from them.
func (s *soak) startStores() (flags []string, err error) {
	s.world = storesim.New(storesim.Config{Seed: s.run.Seed, ConsoleGames: storeGames, PCGames: storeGames,
		Regions: sample.Codes(5)[2:5:5], Start: time.Now()})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	server := &http.Server{Handler: s.world.Handler(), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(listener) }()
	s.run.AtEnd(server.Close)
	base := "http://" + listener.Addr().String()
	s.rates = base + storesim.TablePath
	file := filepath.Join(s.run.Dir, "profile.json")
	profile, err := storeProfile(s.world.Profile(base))
	if err == nil {
		err = os.WriteFile(file, profile, 0o600)
	}
	return []string{"--collect-profile=" + file}, err
}

// storeProfile returns a profile with the intervals of stores whose days are short, and
// with few requests a second.
func storeProfile(text []byte) ([]byte, error) {
	start := slices.Index(text, '{') // after the comment
	var profile map[string]any
	if err := json.Unmarshal(text[start:], &profile); err != nil {
		return nil, fmt.Errorf("read profile: %w", err)
	}
	intervals := map[string]string{"prices": (storeDay / 2).String()}
	for _, kind := range []string{"editions", "addons", "titles", "details", "otherPrices", "otherRest"} {
		intervals[kind] = (2 * storeDay).String()
	}
	profile["intervals"] = intervals
	profile["hosts"].([]any)[0].(map[string]any)["requestsPerSecond"] = 40
	return json.Marshal(profile)
}

// embedded prepares one process that does everything.
func (s *soak) embedded(collect []string) error {
	dir := filepath.Join(s.run.Dir, "data")
	s.common = []string{"--data-dir=" + dir}
	s.dsn = "sqlite:" + filepath.Join(dir, "gamedex.db")
	s.disk = map[string]func(context.Context) (int64, error){
		"database":  size(filepath.Join(dir, "gamedex.db*")),
		"snapshots": size(filepath.Join(dir, "snapshots")),
		"cache":     size(filepath.Join(dir, "cache")),
	}
	return s.add("gamedex", dir, true, nil, append(collect, "--rates-from="+s.rates, "--active-regions="+countries))
}

// servers prepares five processes that share PostgreSQL, Redis or Valkey, and an S3 service.
func (s *soak) servers(ctx context.Context, collect []string) error {
	postgres, err := s.run.Postgres(ctx, "shared_buffers=128MB", "fsync=off")
	if err != nil {
		return err
	}
	if s.dsn, err = postgres.NewDatabase(ctx, "soak"); err != nil {
		return err
	}
	redis, err := s.run.Redis(ctx)
	if err != nil {
		return err
	}
	const bucket = "soak"
	s3, err := s.run.S3(ctx, bucket)
	if err != nil {
		return err
	}
	s.common = []string{"--data-dir=" + filepath.Join(s.run.Dir, "commands"), "--database=" + s.dsn}
	s.env = s3.Env()
	s.bucket = []string{"--bucket=s3://" + bucket + "/gamedex?endpoint=" + s3.URL}
	nodes := filepath.Join(s.run.Dir, "nodes")
	s.disk = map[string]func(context.Context) (int64, error){
		"database":  s.databaseSize,
		"snapshots": size(s3.Folder(bucket)),
		"cache":     size(filepath.Join(nodes, "*")),
	}
	for _, n := range []struct{ name, role string }{{"build1", "build"}, {"build2", "build"}, {"api1", "api"}, {"api2", "api"}, {"collect1", "collect"}} {
		flags := append(slices.Clone(s.bucket), "--roles="+n.role, "--database="+s.dsn, "--counters=redis://"+redis.Addr(),
			"--keep-snapshots=1m", "--rates-from="+s.rates, "--active-regions="+countries)
		if n.role == "collect" {
			flags = append(flags, collect...)
		}
		if err := s.add(n.name, filepath.Join(nodes, n.name), n.role == "api", s.env, flags); err != nil {
			return err
		}
	}
	return nil
}

// add adds a node.
func (s *soak) add(name, dir string, answers bool, env, flags []string) error {
	n, err := newNode(name, dir, answers, env, flags)
	if err != nil {
		return err
	}
	s.nodes = append(s.nodes, n)
	if answers {
		s.answering = append(s.answering, n)
	}
	return nil
}

// command runs a command of the program on the database of the service.
func (s *soak) command(ctx context.Context, args ...string) ([]byte, error) {
	program, err := s.run.Program(ctx)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, program, append(args, s.common...)...)
	cmd.Env = append(os.Environ(), s.env...)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("gamedex %s: %w: %s", args[0], err, bytes.TrimSpace(complaint.Bytes()))
	}
	return out, err
}

// newKey creates a key.
func (s *soak) newKey(ctx context.Context, name string, flags ...string) (key, error) {
	out, err := s.command(ctx, append([]string{"key", "create", "--name=" + name, "--json"}, flags...)...)
	if err != nil {
		return key{}, err
	}
	var made struct{ KeyID, Key string }
	if err := json.Unmarshal(out, &made); err != nil {
		return key{}, fmt.Errorf("key create printed %q: %w", out, err)
	}
	s.book.open(made.KeyID, name)
	return key{made.KeyID, made.Key}, nil
}

// newSoak starts the service with its first listings.
func newSoak(ctx context.Context, r *harness.Run, o options) (*soak, error) {
	s := &soak{options: o, run: r, book: newLedger(), curves: newCurves(), events: map[string]int{}, past: map[string]float64{},
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}, Timeout: time.Minute}}
	s.imported = importedSample{sample: sample.New(r.Seed, sampleCards), rng: r.Rng(1)}
	collect, err := s.startStores()
	if err != nil {
		return nil, err
	}
	if o.engines {
		err = s.servers(ctx, collect)
	} else {
		err = s.embedded(collect)
	}
	if err == nil {
		err = s.importAgain(ctx)
	}
	if err != nil {
		return nil, err
	}
	for _, n := range s.nodes {
		if err := n.start(ctx, r); err != nil {
			return nil, err
		}
	}
	return s, s.makeKeys(ctx)
}

// makeKeys creates the keys of the load: some that nobody owns and some of a user, without
// limits that they could reach; one with the limits of a new key; and one whose limits
// change. The counts of the keys that are used after the kills must be complete.
func (s *soak) makeKeys(ctx context.Context) error {
	if _, err := s.command(ctx, "user", "create", "soak@example.org"); err != nil {
		return err
	}
	high := []string{"--limit-minute=100000", "--limit-day=4000000"}
	for when, name := range []string{"load during kills", "load after kills"} {
		for i := range 6 {
			flags := high
			if i >= 4 {
				flags = append(slices.Clone(high), "--user=soak@example.org")
			}
			k, err := s.newKey(ctx, name, flags...)
			if err != nil {
				return err
			}
			s.keys[when] = append(s.keys[when], k)
		}
	}
	var err error
	if s.limited, err = s.newKey(ctx, "limited"); err == nil {
		s.changing, err = s.newKey(ctx, "changing limits")
	}
	return err
}

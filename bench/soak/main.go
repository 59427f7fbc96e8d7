package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"gamedex/bench/harness"
)

// options are what the command line says.
type options struct {
	length   time.Duration
	engines  bool
	rate     int // requests a second
	out      string
	root     string
	seed     uint64
	interval time.Duration // between samples
}

func main() {
	var o options
	hours := flag.Float64("hours", 0.5, "how long the service runs")
	flag.BoolVar(&o.engines, "engines", false, "run several processes on PostgreSQL, Redis or Valkey, and S3")
	flag.IntVar(&o.rate, "rate", 40, "requests a second, of all clients together")
	flag.StringVar(&o.out, "out", "out/soak", "folder of samples, curves and summary")
	flag.StringVar(&o.root, "root", "..", "folder of the product's module")
	flag.Uint64Var(&o.seed, "seed", uint64(time.Now().Unix()), "seed of requests and events; their times differ between runs")
	flag.DurationVar(&o.interval, "interval", 10*time.Second, "time between samples")
	flag.Parse()
	o.length = time.Duration(*hours * float64(time.Hour))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

// errFailed means that the run has ended and its verdict is bad.
var errFailed = errors.New("the verdict is: failed")

// run runs the service and writes what came of it.
func run(ctx context.Context, o options) (err error) {
	if o.length < 10*time.Second || o.rate < 1 || o.interval <= 0 {
		return errors.New("want at least 10 seconds, a request a second, and time between samples")
	}
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return err
	}
	r, err := harness.NewRun(filepath.Join(o.out, "work"), o.root, false, o.seed, os.Stderr)
	if err != nil {
		return err
	}
	r.AtEnd(func() error { return os.RemoveAll(r.Dir) })
	defer func() { err = cmp.Or(err, r.Close()) }()
	s, err := newSoak(ctx, r, o)
	if err != nil {
		return err
	}
	if err := s.work(ctx); err != nil {
		return err
	}
	v := s.judge()
	if err := v.write(o.out); err != nil {
		return err
	}
	fmt.Print(v.summary())
	if len(v.failures) > 0 {
		return errFailed
	}
	return nil
}

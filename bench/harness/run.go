package harness

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// Run is one run of the benchmarks, with what its subjects share. It is not safe
// for concurrent use.
type Run struct {
	Quick bool   // small catalogs and few rounds
	Seed  uint64 // of catalogs, queries and the order of rounds
	Dir   string // the absolute path of the run's folder
	Root  string // the product's module, from which the program is built

	log      io.Writer
	binary   string
	catalogs map[Shape]*Catalog
	versions [][2]string
	closers  closers
}

// NewRun creates a run with a new folder in dir. It logs progress to log.
func NewRun(dir, root string, quick bool, seed uint64, log io.Writer) (*Run, error) {
	own, err := makeFolder(dir)
	if err != nil {
		return nil, fmt.Errorf("make work folder: %w", err)
	}
	return &Run{Quick: quick, Seed: seed, Dir: own, Root: root, log: log, catalogs: map[Shape]*Catalog{}}, nil
}

func makeFolder(dir string) (string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	own, err := os.MkdirTemp(dir, "run-")
	if err != nil {
		return "", err
	}
	if own, err = filepath.Abs(own); err != nil {
		return "", err
	}
	return own, os.Chmod(own, 0o755) // servers that drop root's rights read files here
}

// Close stops everything that still runs, the last started first.
func (r *Run) Close() error { return r.closers.close() }

// closers are the functions that stop what was started, in the order of the starts.
type closers []func() error

// close calls all functions, the last first, and forgets them.
func (c *closers) close() error {
	var errs []error
	for _, closer := range slices.Backward(*c) {
		errs = append(errs, closer())
	}
	*c = nil
	return errors.Join(errs...)
}

// AtEnd makes Close call f.
func (r *Run) AtEnd(f func() error) { r.closers = append(r.closers, f) }

// Logf logs progress.
func (r *Run) Logf(format string, args ...any) {
	fmt.Fprintf(r.log, time.Now().Format("15:04:05 ")+format+"\n", args...)
}

// Pick returns quick in a quick run and full in a full one.
func Pick[T any](r *Run, quick, full T) T {
	if r.Quick {
		return quick
	}
	return full
}

// Rng returns random numbers for one purpose, the same in every run with a seed.
func (r *Run) Rng(purpose uint64) *rand.Rand { return rand.New(rand.NewPCG(r.Seed, purpose)) }

// Rounds measures the candidates in 3 rounds (quick) or 7 (full).
func (r *Run) Rounds(ctx context.Context, candidates ...Candidate) (*Results, error) {
	return Rounds(ctx, Pick(r, 3, 7), r.Rng(uint64(len(candidates))), candidates, func(round int, name string, v Values) {
		r.Logf("  round %d  %-40s %v", round, name, v)
	})
}

// Program returns the path of the product's program. The first call builds it
// from the working tree with the flags of a release.
func (r *Run) Program(ctx context.Context) (string, error) {
	if r.binary != "" {
		return r.binary, nil
	}
	path := filepath.Join(r.Dir, "gamedex")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", path, "./cmd/gamedex")
	build.Dir, build.Env = r.Root, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the program: %w\n%s", err, out)
	}
	r.binary = path
	return path, nil
}

// Command runs a command of the program and returns its standard output.
func (r *Run) Command(ctx context.Context, args ...string) ([]byte, error) {
	program, err := r.Program(ctx)
	if err != nil {
		return nil, err
	}
	out, err := exec.CommandContext(ctx, program, args...).Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("%w\n%s", err, exit.Stderr)
	}
	if err != nil {
		return nil, fmt.Errorf("gamedex %s: %w", args[0], err)
	}
	return out, nil
}

package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"gamedex/bench/measure"
)

// Lab holds what subjects share. It is used by one goroutine.
type Lab struct {
	Quick bool   // small enough for all subjects to end within three minutes
	Seed  uint64 // of catalogs, of questions and of the order of rounds
	Dir   string // the folder of this run, absolute; subjects make folders of their own in it
	Root  string // the module of the service, where the program is built from

	out      io.Writer
	binary   string
	catalogs map[size]*Catalog
	versions [][2]string
	closers  []func() error
}

// New makes a lab with a new folder in dir, and tells its progress to out.
func New(dir, root string, quick bool, seed uint64, out io.Writer) (*Lab, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("make work folder: %w", err)
	}
	own, err := os.MkdirTemp(dir, "run-")
	if err != nil {
		return nil, fmt.Errorf("make work folder: %w", err)
	}
	if own, err = filepath.Abs(own); err != nil {
		return nil, fmt.Errorf("make work folder: %w", err)
	}
	// Servers that give up root read their files here.
	if err := os.Chmod(own, 0o755); err != nil {
		return nil, fmt.Errorf("make work folder: %w", err)
	}
	return &Lab{Quick: quick, Seed: seed, Dir: own, Root: root, out: out, catalogs: map[size]*Catalog{}}, nil
}

// Close ends what is still running, the last one first.
func (l *Lab) Close() error {
	var errs []error
	for i := len(l.closers) - 1; i >= 0; i-- {
		errs = append(errs, l.closers[i]())
	}
	l.closers = nil
	return errors.Join(errs...)
}

// AtEnd has f called by Close.
func (l *Lab) AtEnd(f func() error) { l.closers = append(l.closers, f) }

// Logf tells how far the work is.
func (l *Lab) Logf(format string, args ...any) {
	fmt.Fprintf(l.out, time.Now().Format("15:04:05 ")+format+"\n", args...)
}

// Pick chooses between what a quick run and a whole one take.
func Pick[T any](l *Lab, quick, whole T) T {
	if l.Quick {
		return quick
	}
	return whole
}

// Rng gives random numbers for one purpose, the same in every run.
func (l *Lab) Rng(purpose uint64) *rand.Rand { return rand.New(rand.NewPCG(l.Seed, purpose)) }

// Rounds measures the candidates in interleaved rounds (3 in a quick run, 7 in
// a whole one) and logs every sample.
func (l *Lab) Rounds(ctx context.Context, candidates ...measure.Candidate) (measure.Runs, error) {
	return measure.Rounds(ctx, Pick(l, 3, 7), l.Rng(uint64(len(candidates))), candidates, func(round int, name string, s measure.Sample) {
		l.Logf("  round %d  %-40s %v", round, name, s)
	})
}

// Program is the path of the service, built once from the working tree as it
// is released.
func (l *Lab) Program(ctx context.Context) (string, error) {
	if l.binary != "" {
		return l.binary, nil
	}
	path := filepath.Join(l.Dir, "gamedex")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", path, "./cmd/gamedex")
	build.Dir, build.Env = l.Root, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the program: %w\n%s", err, out)
	}
	l.binary = path
	return path, nil
}

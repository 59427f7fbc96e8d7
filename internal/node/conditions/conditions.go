package conditions

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	every     = 10 * time.Second // between the checks of a condition
	checkTime = 8 * time.Second  // for a check
	patience  = 10 * time.Second // until a check that ignores the end of its time has failed
)

// Condition is something outside of the process that may change while it runs.
type Condition struct {
	Name string // a word, for metrics
	// Check returns what is wrong and what to do about it, or nil. Its context ends after 8
	// seconds; a check that goes on is not begun again meanwhile.
	Check func(context.Context) error
}

// Watch checks conditions. Create it with [New], and run Run.
type Watch struct {
	log  *slog.Logger
	list []*watched
}

type watched struct {
	Condition
	failed  atomic.Pointer[error] // of the last check; nil: it has not ended yet
	running chan error            // of a check that has not answered in time; nil: none
}

// New returns a watch of conditions that were not checked yet.
func New(log *slog.Logger, list ...Condition) *Watch {
	w := &Watch{log: log}
	for _, c := range list {
		w.list = append(w.list, &watched{Condition: c})
	}
	return w
}

// Run checks the conditions at once and then every 10 seconds, until ctx ends.
func (w *Watch) Run(ctx context.Context) error {
	var all sync.WaitGroup
	for _, c := range w.list {
		all.Go(func() {
			for ctx.Err() == nil {
				w.look(ctx, c)
				select {
				case <-ctx.Done():
				case <-time.After(every):
				}
			}
		})
	}
	all.Wait()
	return nil
}

// All yields the names of all conditions, and what is wrong with them, as far as was found.
func (w *Watch) All() iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for _, c := range w.list {
			if !yield(c.Name, c.err()) {
				return
			}
		}
	}
}

func (c *watched) err() error {
	if failed := c.failed.Load(); failed != nil {
		return *failed
	}
	return nil
}

// look waits for one check, and logs a change.
func (w *Watch) look(ctx context.Context, c *watched) {
	if c.running == nil {
		answer := make(chan error, 1)
		go func() {
			ctx, cancel := context.WithTimeout(ctx, checkTime)
			defer cancel()
			answer <- c.Check(ctx)
		}()
		c.running = answer
	}
	var err error
	select {
	case <-ctx.Done():
		return
	case err = <-c.running:
		c.running = nil
	case <-time.After(patience):
		err = fmt.Errorf("%s: no answer within %v; look at the disk or the server behind it", c.Name, patience)
	}
	if ctx.Err() != nil {
		return // stopping is not a failure
	}
	before := c.err()
	c.failed.Store(&err)
	switch {
	case err != nil && before == nil:
		w.log.Error(err.Error(), "condition", c.Name)
	case err == nil && before != nil:
		w.log.Info("resolved: "+before.Error(), "condition", c.Name)
	}
}

// probeName is the name of the file that Writable writes, and probeSize its size in bytes.
const (
	probeName = ".probe"
	probeSize = 64 << 10
)

// Writable returns a check that a file can be written in a folder; what names the folder. The check
// removes the file. Several processes may check one folder at once.
func Writable(what, dir string) func(context.Context) error {
	return func(context.Context) error {
		name := filepath.Join(dir, probeName)
		err := os.WriteFile(name, make([]byte, probeSize), 0o600)
		if gone := os.Remove(name); err == nil && !errors.Is(gone, fs.ErrNotExist) {
			err = gone
		}
		switch {
		case err == nil:
			return nil
		case errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("%s %s is gone: put it back", what, dir)
		case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
			return fmt.Errorf("%s %s cannot grow: the disk is full; free some space", what, dir)
		}
		return fmt.Errorf("%s %s cannot be written; check its permissions and its disk: %w", what, dir, err)
	}
}

// lowSpace is how much free space is low, on a disk that is not small; of a small one, a tenth is.
const lowSpace = 256 << 20

// Roomy returns a check that the disks of folders have free space.
func Roomy(dirs ...string) func(context.Context) error {
	return func(context.Context) error {
		for _, dir := range dirs {
			size, free, err := space(dir)
			if err == nil && free < min(lowSpace, size/10) {
				return fmt.Errorf("the disk of %s has little free space: %d MiB; when it is full, nothing can be saved", dir, free>>20)
			}
		}
		return nil // a folder that is gone is the matter of Writable
	}
}

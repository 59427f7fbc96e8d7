package conditions

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestWatch checks that a condition that fails is known within 30 seconds, that the log has a
// line for each change, and that a check that hangs holds up no other and is begun once.
func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var failed atomic.Pointer[error] // nil: the condition holds
		fail := func(text string) {
			err := errors.New(text)
			failed.Store(&err)
		}
		begun, answers := 0, make(chan error)
		var log bytes.Buffer
		w := New(slog.New(slog.NewTextHandler(&log, nil)),
			Condition{"hangs", func(context.Context) error { begun++; return <-answers }},
			Condition{"changes", func(context.Context) error {
				if err := failed.Load(); err != nil {
					return *err
				}
				return nil
			}})
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- w.Run(ctx) }()
		after := func(want ...string) {
			t.Helper()
			time.Sleep(30 * time.Second)
			synctest.Wait()
			var got []string
			for _, err := range w.All() {
				if err != nil {
					got = append(got, err.Error())
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("what fails (-want +got):\n%s", diff)
			}
		}
		const hangs = "hangs: no answer within 10s; look at the disk or the server behind it"
		after(hangs)
		for _, text := range []string{"the disk is full; free some space", "the disk is still full"} {
			fail(text)
			after(hangs, text)
		}
		if begun != 1 {
			t.Errorf("a check that hangs was begun %d times", begun)
		}
		failed.Store(nil)
		close(answers)
		after()
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		var lines []string
		for _, found := range regexp.MustCompile(`level=(\w+) msg="?(.*?)"? condition=(\w+)`).FindAllStringSubmatch(log.String(), -1) {
			lines = append(lines, strings.Join(found[1:], " "))
		}
		slices.Sort(lines)
		want := []string{"ERROR " + hangs + " hangs", "ERROR the disk is full; free some space changes",
			"INFO resolved: " + hangs + " hangs", "INFO resolved: the disk is still full changes"}
		slices.Sort(want)
		if diff := cmp.Diff(want, lines); diff != "" {
			t.Errorf("the log (-want +got):\n%s\n%s", diff, &log)
		}
	})
}

// TestWritable checks folders that can be written, and the texts about those that cannot.
func TestWritable(t *testing.T) {
	dir := t.TempDir()
	check := func(dir string) error { return Writable("the folder", dir)(t.Context()) }
	if err := check(dir); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("the check leaves %v, %v", left, err)
	}
	if err := check(filepath.Join(dir, "gone")); err == nil || !strings.HasSuffix(err.Error(), "gone is gone: put it back") {
		t.Error(err)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := check(file); err == nil || !strings.Contains(err.Error(), "cannot be written; check") {
		t.Error(err)
	}
}

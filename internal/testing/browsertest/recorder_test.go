package browsertest_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"gamedex/internal/testing/browsertest"
)

// recorder is a testing.TB for bad pages: it records what the harness reports.
type recorder struct {
	testing.TB
	errors   []string
	logs     []string
	cleanups []func()
}

func (r *recorder) Helper()          {}
func (r *recorder) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }
func (r *recorder) Failed() bool     { return len(r.errors) > 0 }

func (r *recorder) Logf(format string, args ...any) {
	r.logs = append(r.logs, fmt.Sprintf(format, args...))
}

func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

// record runs a separate test to its end, and returns its errors.
func record(t *testing.T, test func(testing.TB)) *recorder {
	t.Helper()
	r := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			for _, f := range slices.Backward(r.cleanups) {
				f()
			}
		}()
		test(r)
	}()
	<-done
	return r
}

// wantError checks that exactly one error was recorded, with all these words.
func (r *recorder) wantError(t *testing.T, words ...string) {
	t.Helper()
	if len(r.errors) != 1 {
		t.Fatalf("%d errors: %q; want one with %q", len(r.errors), r.errors, words)
	}
	for _, w := range words {
		if !strings.Contains(r.errors[0], w) {
			t.Errorf("the error is %q; want %q in it", r.errors[0], w)
		}
	}
}

func (r *recorder) wantNone(t *testing.T) {
	t.Helper()
	for _, e := range r.errors {
		t.Errorf("unexpected: %s", e)
	}
}

// shared is the browser of all tests of the package.
var shared *browsertest.Browser

func TestMain(m *testing.M) {
	if err := browsertest.Missing(); err != nil {
		fmt.Println("skipped:", err)
		return
	}
	b, err := browsertest.Launch(context.Background())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	shared = b
	code := m.Run()
	b.Close()
	if err := goleak.Find(); err != nil {
		fmt.Fprintln(os.Stderr, "after all visitors left:", err)
		code = 1
	}
	os.Exit(code)
}

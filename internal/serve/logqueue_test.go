package serve_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gamedex/internal/serve"
)

// pipe is a writer that blocks until it is opened.
type pipe struct {
	open chan struct{}
	text bytes.Buffer
}

func (p *pipe) Write(line []byte) (int, error) {
	<-p.open
	return p.text.Write(line)
}

func report(out io.Writer, lines int64) { fmt.Fprintf(out, "%d lost\n", lines) }

// TestBlockedWriter checks that writers never wait, that the memory is bounded,
// and that the log says afterwards how many lines it lacks.
func TestBlockedWriter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := &pipe{open: make(chan struct{})}
		q := serve.NewLogQueue(out, report)
		fmt.Fprintln(q, "first")
		synctest.Wait() // it is on its way
		line := strings.Repeat("x", 1023) + "\n"
		for range 1500 {
			io.WriteString(q, line)
		}
		if lines, now := q.Dropped(); lines != 1500-1024 || !now {
			t.Errorf("%d lines dropped, now %v", lines, now)
		}
		time.Sleep(time.Hour)
		if _, now := q.Dropped(); !now {
			t.Error("an hour later the blocked writer is no longer reported")
		}
		if q.Close(time.Second) {
			t.Error("Close says that all was written")
		}
		close(out.open)
		synctest.Wait()
		if want := "first\n" + strings.Repeat(line, 1024) + "476 lost\n"; out.text.String() != want {
			t.Errorf("%d bytes written, which end in %q", out.text.Len(), out.text.String()[max(0, out.text.Len()-20):])
		}
		if _, now := q.Dropped(); now {
			t.Error("an hour later lines still count as dropped now")
		}
	})
}

// TestLinesAreWritten checks the order of lines, and that Close writes what is
// left.
func TestLinesAreWritten(t *testing.T) {
	out := &pipe{open: make(chan struct{})}
	close(out.open)
	q := serve.NewLogQueue(out, report)
	var want strings.Builder
	for i := range 5000 {
		fmt.Fprintf(q, "%d\n", i)
		fmt.Fprintf(&want, "%d\n", i)
	}
	if !q.Close(time.Minute) || out.text.String() != want.String() {
		t.Errorf("%d bytes written of %d", out.text.Len(), want.Len())
	}
	if lines, now := q.Dropped(); lines != 0 || now {
		t.Errorf("%d lines dropped", lines)
	}
}

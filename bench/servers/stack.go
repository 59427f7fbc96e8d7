package servers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/prometheus/client_golang/prometheus"

	"gamedex/bench/harness"
	"gamedex/internal/serve"
)

// stackKeys is the number of keys. The load uses them in turn.
const stackKeys = 64

// runStack serves the product's handlers with the program's HTTP server and metrics.
// It prints its keys.
func runStack(ctx context.Context, args []string, out io.Writer) error {
	view, err := harness.OpenView(ctx, args[0])
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	stack, err := harness.NewStack(ctx, view, stackKeys, harness.AnswerCache, time.Now, log)
	if err != nil {
		return err
	}
	stack.Metrics = serve.NewMetrics(prometheus.NewRegistry())
	if len(args) > 1 {
		if stack.Next, err = klauspost(stack.Next, args[1]); err != nil {
			return err
		}
	}
	server, err := serve.Listen(serve.Config{Addr: "127.0.0.1:0", Log: log, Handler: stack.Front})
	if err != nil {
		return err
	}
	go stack.Keys.Run(ctx)
	fmt.Fprintf(out, "http://%s\n%s\n\n", server.Addr(), strings.Join(stack.Tokens, "\n"))
	return server.Run(ctx)
}

// klauspost compresses all answers with a level of klauspost/compress.
func klauspost(next http.Handler, levelText string) (http.Handler, error) {
	level, err := strconv.Atoi(levelText)
	if err != nil {
		return nil, errors.New("the level is a number from 1 to 9")
	}
	if _, err := gzip.NewWriterLevel(io.Discard, level); err != nil {
		return nil, err
	}
	writers := sync.Pool{New: func() any {
		z, _ := gzip.NewWriterLevel(io.Discard, level)
		return z
	}}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		z := writers.Get().(*gzip.Writer)
		defer writers.Put(z)
		z.Reset(w)
		r.Header.Set("Accept-Encoding", "identity")
		next.ServeHTTP(gzipWriter{w, z}, r)
		_ = z.Close() // the client may be gone
	}), nil
}

// gzipWriter compresses a plain answer.
type gzipWriter struct {
	http.ResponseWriter
	z *gzip.Writer
}

// WriteHeader implements [http.ResponseWriter].
func (w gzipWriter) WriteHeader(status int) {
	w.Header().Del("Content-Length")
	w.Header().Set("Content-Encoding", "gzip")
	w.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (w gzipWriter) Write(p []byte) (int, error) { return w.z.Write(p) }

package servers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// Run runs the server args[0] until ctx ends.
func Run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) < 2 {
		return errors.New("serve: name a server (bare, stack or bleve) and its files")
	}
	run := map[string]func(context.Context, []string, io.Writer) error{"bare": runBare, "stack": runStack, "bleve": runBleve}[args[0]]
	if run == nil {
		return fmt.Errorf("serve: unknown server %q: use bare, stack or bleve", args[0])
	}
	if err := run(ctx, args[1:], out); err != nil {
		return fmt.Errorf("serve %s: %w", args[0], err)
	}
	return nil
}

// serveHTTP serves a handler with net/http alone.
func serveHTTP(ctx context.Context, h http.Handler, out io.Writer) error {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	fmt.Fprintf(out, "http://%s\n\n", ln.Addr())
	if err := server.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

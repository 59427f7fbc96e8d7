package stands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Run runs the stand args[0] until ctx ends.
func Run(ctx context.Context, args []string, out io.Writer) error {
	all := map[string]func(context.Context, []string, io.Writer) error{"bare": bare, "stack": stack, "bleve": bleved}
	if len(args) == 0 || all[args[0]] == nil {
		var names []string
		for name := range all {
			names = append(names, name)
		}
		slices.Sort(names)
		return fmt.Errorf("stand: name one of %s", strings.Join(names, ", "))
	}
	if err := all[args[0]](ctx, args[1:], out); err != nil {
		return fmt.Errorf("stand %s: %w", args[0], err)
	}
	return nil
}

// serveHandler answers with nothing but net/http around a handler.
func serveHandler(ctx context.Context, h http.Handler, out io.Writer) error {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	hello(out, ln.Addr().String())
	if err := server.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// hello tells that everything is ready. Nobody reads on.
func hello(out io.Writer, addr string, more ...string) {
	fmt.Fprintf(out, "http://%s\n%s\n\n", addr, strings.Join(more, "\n"))
}

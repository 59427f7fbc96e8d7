package servers

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"runtime"

	"gamedex/bench/harness"
)

// runBare answers every request with the bytes of a file: the cost of net/http
// alone.
func runBare(ctx context.Context, args []string, out io.Writer) error {
	if len(args) != 2 {
		return errors.New("name the file of the body and the folder of the snapshots")
	}
	view, err := harness.OpenView(ctx, args[1])
	if err != nil {
		return err
	}
	defer runtime.KeepAlive(view)
	body, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	return serveHTTP(ctx, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body) // the client may be gone
	}), out)
}

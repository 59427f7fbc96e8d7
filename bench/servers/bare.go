package servers

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"runtime"

	"gamedex/bench/harness"
)

// runBare answers every request with the bytes of a file and the headers of
// another: the cost of net/http alone.
func runBare(ctx context.Context, args []string, out io.Writer) error {
	if len(args) != 3 {
		return errors.New("name the file of the body, that of the headers and the folder of the snapshots")
	}
	view, err := harness.OpenView(ctx, args[2])
	if err != nil {
		return err
	}
	defer runtime.KeepAlive(view)
	body, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	text, err := os.ReadFile(args[1])
	if err != nil {
		return err
	}
	var header http.Header
	if err := json.Unmarshal(text, &header); err != nil {
		return err
	}
	return serveHTTP(ctx, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		h := w.Header()
		for name, values := range header {
			h[name] = []string{values[0]}
		}
		_, _ = w.Write(body) // the client may be gone
	}), out)
}

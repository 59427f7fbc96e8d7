package stands

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"runtime"

	"gamedex/bench/published"
)

// bare answers every request with the bytes of a file: what net/http costs
// before anybody does anything.
func bare(ctx context.Context, args []string, out io.Writer) error {
	if len(args) != 2 {
		return errors.New("name the file of the body and the folder of the snapshots")
	}
	held, err := published.View(ctx, args[1])
	if err != nil {
		return err
	}
	defer runtime.KeepAlive(held)
	body, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	return serveHandler(ctx, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body) // who left needs no answer
	}), out)
}

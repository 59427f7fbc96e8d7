// Command gamedex stores what game stores list and serves it as an HTTP/JSON
// API. `gamedex --help` lists its commands, doc/config.md their flags.
package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	p := &program{
		Name: calledAs(os.Args[0]), Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Now: time.Now, Exit: os.Exit,
	}
	os.Exit(p.run(untilSignal(), os.Args[1:]))
}

// errInterrupted is the cause of a context that Ctrl-C ended.
var errInterrupted = errors.New("interrupted")

// untilSignal returns a context that ends with the first signal to stop. A second
// signal ends the process at once.
func untilSignal() context.Context {
	ctx, end := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		first := <-signals
		signal.Stop(signals)
		if first == os.Interrupt {
			end(errInterrupted)
		}
		end(context.Canceled)
	}()
	return ctx
}

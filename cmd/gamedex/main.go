// Command gamedex stores what game stores list and serves it as an HTTP/JSON
// API. `gamedex --help` lists its commands, doc/config.md their flags.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	p := &program{
		Name: calledAs(os.Args[0]), Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Now: time.Now, Exit: os.Exit,
	}
	status := p.run(ctx, os.Args[1:])
	stop()
	os.Exit(status)
}

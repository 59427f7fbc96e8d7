package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"gamedex/bench/harness"
)

// node is a process of the service, and those that take its place.
type node struct {
	name, dir string
	addr, ops string
	args, env []string
	answers   bool // it has the role api

	*harness.Process              // the present one
	asking           sync.RWMutex // held for reading during a request
	up               atomic.Bool  // it receives requests
	killed           atomic.Bool  // its requests may fail
	logs             []*harness.Process
}

// newNode returns a node that is not started yet; flags are those of serve.
func newNode(name, dir string, answers bool, env, flags []string) (*node, error) {
	n := &node{name: name, dir: dir, answers: answers, env: env}
	var err error
	if n.addr, err = harness.FreePort(); err == nil {
		n.ops, err = harness.FreePort()
	}
	// The cache of answers is small: it fills and is emptied many times, which does not look like a leak.
	n.args = append([]string{"serve", "--data-dir=" + dir, "--addr=" + n.addr, "--ops-addr=" + n.ops, "--node-name=" + name,
		"--drain=2s", "--log-level=warn", "--answer-cache=1"}, flags...)
	return n, err
}

// start starts the process, and returns when it is ready.
func (n *node) start(ctx context.Context, r *harness.Run) error {
	program, err := r.Program(ctx)
	if err != nil {
		return err
	}
	cmd := exec.Command(program, n.args...)
	cmd.Env = append(os.Environ(), n.env...)
	if n.Process, err = r.Start(n.name, cmd); err != nil {
		return err
	}
	n.logs = append(n.logs, n.Process)
	if err := n.Await(ctx, 5*time.Minute, func() bool { _, err := n.fetch("/readyz"); return err == nil }); err != nil {
		return err
	}
	n.killed.Store(false)
	n.up.Store(true)
	return nil
}

// fetch reads a page of the operations listener.
func (n *node) fetch(path string) ([]byte, error) {
	body, _, err := harness.Request{Method: http.MethodGet, Path: path}.Fetch(context.Background(), "http://"+n.ops)
	return body, err
}

// take reports whether the node may be asked now. The caller then calls done.
func (n *node) take() bool {
	n.asking.RLock()
	if n.up.Load() {
		return true
	}
	n.asking.RUnlock()
	return false
}

func (n *node) done() { n.asking.RUnlock() }

// kill kills the process, and calls ended when no request waits for an answer of it.
func (n *node) kill(ended func(*node)) {
	n.killed.Store(true)
	n.up.Store(false)
	n.Kill()
	n.asking.Lock()
	defer n.asking.Unlock()
	ended(n)
}

// complaints counts the warnings and errors that all processes of the node have logged, by
// their text. It also returns the errors in full, and what a process has printed that crashed.
func (n *node) complaints() (counts map[string]int, failures []string) {
	counts = map[string]int{}
	for _, p := range n.logs {
		text, err := p.Output()
		if err != nil {
			return counts, append(failures, err.Error())
		}
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "panic") || strings.HasPrefix(line, "fatal error") || strings.Contains(line, `msg="panic`) {
				failures = append(failures, fmt.Sprintf("%s: %.2000s", n.name, text[strings.Index(string(text), line):]))
			}
			_, level, ok := strings.Cut(line, " level=")
			level, rest, _ := strings.Cut(level, " msg=")
			if ok {
				counts[level+" "+message(rest)]++
			}
			if level == "ERROR" {
				failures = append(failures, fmt.Sprintf("%s logged: %s", n.name, strings.TrimSpace(line)))
			}
		}
	}
	return counts, failures
}

// message returns the first value of what follows msg= in a line of the log.
func message(text string) string {
	if quoted, ok := strings.CutPrefix(text, `"`); ok {
		text, _, _ = strings.Cut(quoted, `"`)
		return text
	}
	text, _, _ = strings.Cut(text, " ")
	return strings.TrimSpace(text)
}

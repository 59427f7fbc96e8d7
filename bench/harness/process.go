package harness

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"gamedex/internal/testing/porttest"
)

// Process is a running server.
type Process struct {
	Name string
	PID  int

	log   string // the file of its output
	ended chan struct{}
	err   error // how it ended; read after ended is closed
	stop  func() error
}

const (
	// StartTimeout is how long a server may take to start.
	StartTimeout = time.Minute
	stopTimeout  = 30 * time.Second // the program may take 15 s after its drain
)

// Start starts a server. Its output goes to a file in the run's folder, unless
// cmd says otherwise. The run stops it at the latest when it closes.
func (r *Run) Start(name string, cmd *exec.Cmd) (*Process, error) {
	log, err := os.CreateTemp(r.Dir, filepath.Base(name)+"-*.log")
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	defer log.Close() // the process has its own handle
	if cmd.Stdout == nil {
		cmd.Stdout = log
	}
	if cmd.Stderr == nil {
		cmd.Stderr = log
	}
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	// In a separate process group a server is not interrupted by the keyboard,
	// and its workers can be killed with it.
	cmd.SysProcAttr.Setpgid = true
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	p := &Process{Name: name, PID: cmd.Process.Pid, log: log.Name(), ended: make(chan struct{})}
	p.stop = sync.OnceValue(p.terminate)
	go func() { p.err = cmd.Wait(); close(p.ended) }()
	r.AtEnd(p.Stop)
	return p, nil
}

// Await waits until ready returns true. It fails if the process ends first, or
// after the timeout.
func (p *Process) Await(ctx context.Context, timeout time.Duration, ready func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !ready() {
		select {
		case <-p.ended:
			return fmt.Errorf("%s ended: %v\n%s", p.Name, p.err, p.logTail())
		case <-ctx.Done():
			return fmt.Errorf("%s is not ready: %w\n%s", p.Name, ctx.Err(), p.logTail())
		case <-tick.C:
		}
	}
	return nil
}

func accepts(network, addr string) bool {
	c, err := net.DialTimeout(network, addr, time.Second)
	if err == nil {
		c.Close()
	}
	return err == nil
}

// Stop terminates the process, and kills it if that takes too long. It may be
// called more than once and always returns the same error. Ending by a signal is
// not an error.
func (p *Process) Stop() error { return p.stop() }

// Kill ends the process without warning. It does nothing if the process has ended.
func (p *Process) Kill() {
	if p.running() {
		_ = syscall.Kill(-p.PID, syscall.SIGKILL)
	}
	<-p.ended
}

// running reports whether the process has not ended. The system may give the number of one
// that has ended to another process.
func (p *Process) running() bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// Output returns what the process has printed so far.
func (p *Process) Output() ([]byte, error) { return os.ReadFile(p.log) }

func (p *Process) terminate() error {
	if p.running() {
		_ = syscall.Kill(p.PID, syscall.SIGTERM)
		_ = p.Thaw() // a frozen process does not end
	}
	select {
	case <-p.ended:
	case <-time.After(stopTimeout):
		_ = syscall.Kill(-p.PID, syscall.SIGKILL)
		<-p.ended
		return fmt.Errorf("%s did not stop within %v", p.Name, stopTimeout)
	}
	if exit, ok := errors.AsType[*exec.ExitError](p.err); ok && exit.Exited() {
		return fmt.Errorf("%s: %w\n%s", p.Name, p.err, p.logTail())
	}
	return nil
}

// Freeze stops the process where it is, until Thaw.
func (p *Process) Freeze() error { return p.signal(syscall.SIGSTOP) }

// Thaw lets a frozen process go on.
func (p *Process) Thaw() error { return p.signal(syscall.SIGCONT) }

func (p *Process) signal(s syscall.Signal) error {
	if err := syscall.Kill(p.PID, s); err != nil {
		return fmt.Errorf("signal %s: %w", p.Name, err)
	}
	return nil
}

func (p *Process) logTail() []byte {
	text, err := os.ReadFile(p.log)
	if err != nil {
		return []byte(err.Error())
	}
	return bytes.TrimSpace(text[max(0, len(text)-2000):])
}

// FreePort returns a loopback address that nothing listens on, and that no other caller gets.
func FreePort() (string, error) {
	port, err := porttest.Reserve()
	return fmt.Sprint("127.0.0.1:", port), err
}

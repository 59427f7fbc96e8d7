package lab

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

	"gamedex/bench/measure"
)

// Process is a server under measurement.
type Process struct {
	Name string
	PID  int

	log   string // the file of its output
	ended chan struct{}
	err   error // how it ended; read after ended is closed
	stop  func() error
}

const (
	startTimeout = 60 * time.Second
	stopTimeout  = 15 * time.Second
)

// Start starts a server; its output goes to a file in the lab's folder unless
// cmd has a place for it. It is stopped at the latest when the lab closes. The
// name is for messages and need not be the only one of its kind.
func (l *Lab) Start(name string, cmd *exec.Cmd) (*Process, error) {
	log, err := os.CreateTemp(l.Dir, filepath.Base(name)+"-*.log")
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	defer log.Close() // the child has its own
	if cmd.Stdout == nil {
		cmd.Stdout = log
	}
	if cmd.Stderr == nil {
		cmd.Stderr = log
	}
	// A group of its own: an interrupt from the keyboard is ours to handle, and
	// workers die with their master.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: credential(cmd)}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	p := &Process{Name: name, PID: cmd.Process.Pid, log: log.Name(), ended: make(chan struct{})}
	p.stop = sync.OnceValue(p.end)
	go func() { p.err = cmd.Wait(); close(p.ended) }()
	l.AtEnd(p.Stop)
	return p, nil
}

// credential is the user that cmd was already told to run as, if any.
func credential(cmd *exec.Cmd) *syscall.Credential {
	if cmd.SysProcAttr == nil {
		return nil
	}
	return cmd.SysProcAttr.Credential
}

// Await waits until ready is true. It fails if the process ends before, or
// after a minute.
func (p *Process) Await(ctx context.Context, ready func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !ready() {
		select {
		case <-p.ended:
			return fmt.Errorf("%s ended: %v\n%s", p.Name, p.err, p.lastWords())
		case <-ctx.Done():
			return fmt.Errorf("%s is not ready: %w\n%s", p.Name, ctx.Err(), p.lastWords())
		case <-tick.C:
		}
	}
	return nil
}

// AwaitPort waits until somebody listens at the address.
func (p *Process) AwaitPort(ctx context.Context, addr string) error {
	return p.Await(ctx, func() bool { return accepts("tcp", addr) })
}

func accepts(network, addr string) bool {
	c, err := net.DialTimeout(network, addr, time.Second)
	if err == nil {
		c.Close()
	}
	return err == nil
}

// Stop ends the process as its operator would, and with force if that does not
// help. It may be called more than once, and says the same each time; who does
// not listen may leave that to the lab's end. That a process was ended by a
// signal is no error.
func (p *Process) Stop() error { return p.stop() }

func (p *Process) end() error {
	_ = syscall.Kill(p.PID, syscall.SIGTERM) // it may have ended already
	select {
	case <-p.ended:
	case <-time.After(stopTimeout):
		_ = syscall.Kill(-p.PID, syscall.SIGKILL)
		<-p.ended
		return fmt.Errorf("%s did not stop within %v", p.Name, stopTimeout)
	}
	var exit *exec.ExitError
	if errors.As(p.err, &exit) && exit.Exited() {
		return fmt.Errorf("%s: %w\n%s", p.Name, p.err, p.lastWords())
	}
	return nil
}

// lastWords is the end of what the process wrote.
func (p *Process) lastWords() []byte {
	text, err := os.ReadFile(p.log)
	if err != nil {
		return []byte(err.Error())
	}
	return bytes.TrimSpace(text[max(0, len(text)-2000):])
}

// CPU is what processes have used so far, their children included.
func CPU(processes ...*Process) (time.Duration, error) {
	var total time.Duration
	for _, p := range processes {
		used, err := measure.CPUTime(p.PID)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", p.Name, err)
		}
		total += used
	}
	return total, nil
}

// FreePort is a loopback address where nobody listens now.
func FreePort() (string, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("find a free port: %w", err)
	}
	return ln.Addr().String(), ln.Close()
}

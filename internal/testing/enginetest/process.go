package enginetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"gamedex/internal/testing/await"
)

// Command is how a server is started.
type Command struct {
	Program string // its path
	Args    []string
	End     syscall.Signal // ends it in order; 0: SIGTERM
}

// Process is a running server.
type Process struct {
	PID     int
	Program string // its path
	Dir     string // the folder it was started in

	name, log string
	end       syscall.Signal
	ended     chan struct{} // closed when the process has ended
	err       error         // how it ended; read after ended is closed
}

// The times that a server may take. They are for servers that hang.
const (
	startTimeout = await.Patience
	stopTimeout  = await.Patience
)

// Start starts a server in a folder of [NewFolder]. Its output goes to a file there.
// The server ends with the test binary at the latest; its folder is then removed.
func Start(dir string, c Command) (*Process, error) {
	name := filepath.Base(c.Program)
	p := &Process{Program: c.Program, Dir: dir, name: name, log: filepath.Join(dir, name+".log"), end: c.End, ended: make(chan struct{})}
	if p.end == 0 {
		p.end = syscall.SIGTERM
	}
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	defer log.Close() // the process has its own handle
	cmd, err := command(dir, c.Program, c.Args...)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	p.PID = cmd.Process.Pid
	dismiss, err := startJanitor(p, dir)
	if err != nil {
		return nil, errors.Join(err, cmd.Process.Kill(), cmd.Wait())
	}
	go func() {
		p.err = cmd.Wait()
		dismiss()
		close(p.ended)
	}()
	return p, nil
}

// janitor is what runs beside a server. It reads the pipe until the test binary is
// gone, ends the server, which may be frozen, and removes its folder.
const janitor = `read -r _
kill -CONT "$1" $(cat "/proc/$1/task/$1/children" 2>/dev/null); kill -"$2" "$1"
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	kill -0 "$1" 2>/dev/null || break
	sleep 0.1
done
kill -KILL "$1" 2>/dev/null
rm -rf "$3"`

// startJanitor starts the janitor of a server. dismiss ends it, without effect.
func startJanitor(p *Process, dir string) (dismiss func(), err error) {
	cmd := exec.Command("sh", "-c", janitor, "janitor", strconv.Itoa(p.PID), strconv.Itoa(int(p.end)), dir)
	setApart(cmd)
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the janitor of %s: %w", p.name, err)
	}
	return func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
		_ = pipe.Close()
	}, nil
}

// Await calls ready until it returns nil. It fails if the process ends first.
func (p *Process) Await(ready func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		err := ready(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-p.ended:
			return p.failure()
		case <-ctx.Done():
			return fmt.Errorf("%s does not answer: %w\n%s", p.name, err, p.logTail())
		case <-tick.C:
		}
	}
}

// startReady starts a server and waits until ready returns nil. It stops a server that does
// not get so far.
func startReady(dir string, c Command, ready func(context.Context) error) (*Process, error) {
	p, err := Start(dir, c)
	if err != nil {
		return nil, err
	}
	if err := p.Await(ready); err != nil {
		return p, errors.Join(err, p.Stop())
	}
	return p, nil
}

// errPortTaken means that a server has not found its port free.
var errPortTaken = errors.New("the port is taken")

// failure returns why a process that has ended did so: errPortTaken, or what it printed.
func (p *Process) failure() error {
	output := p.logTail()
	err := fmt.Errorf("%s ended: %v\n%s", p.name, p.err, output)
	if bytes.Contains(output, []byte("ddress already in use")) {
		err = errors.Join(errPortTaken, err)
	}
	return err
}

// Stop ends the process in order and waits for its end. It does nothing if the
// process has ended.
func (p *Process) Stop() error {
	if err := p.Thaw(); err != nil {
		return err
	}
	if err := p.signal(p.end); err != nil {
		return err
	}
	select {
	case <-p.ended:
		return nil
	case <-time.After(stopTimeout):
		return errors.Join(fmt.Errorf("%s did not stop within %v\n%s", p.name, stopTimeout, p.logTail()), p.Kill())
	}
}

// Close stops the process and removes its folder.
func (p *Process) Close() error { return errors.Join(p.Stop(), os.RemoveAll(p.Dir)) }

// Kill ends the process, and those that it has started, at once, and waits for their end:
// PostgreSQL does not start while one of them has its memory.
func (p *Process) Kill() error {
	err := p.signal(stopSignal) // it starts no others
	children, err2 := childrenOf(p.PID)
	err = errors.Join(err, err2, p.signalAll(syscall.SIGKILL))
	<-p.ended
	for _, child := range children {
		for deadline := time.Now().Add(stopTimeout); !hasEnded(child); time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				return errors.Join(err, fmt.Errorf("process %d of %s was killed, but does not end", child, p.name))
			}
		}
	}
	return err
}

// Freeze stops the process, and those that it has started, where they are: it accepts
// connections, but answers nothing.
func (p *Process) Freeze() error {
	return errors.Join(p.signal(stopSignal), p.signalAll(stopSignal))
}

// Thaw lets a frozen process go on. It does nothing if the process is not frozen.
func (p *Process) Thaw() error { return p.signalAll(continueSignal) }

// signalAll signals those that the process has started, then the process itself.
func (p *Process) signalAll(s syscall.Signal) error {
	select {
	case <-p.ended:
		return nil
	default:
	}
	children, err := childrenOf(p.PID)
	for _, child := range children {
		err = errors.Join(err, sendSignal(child, s))
	}
	return errors.Join(err, p.signal(s))
}

// signal sends a signal, unless the process has ended.
func (p *Process) signal(s syscall.Signal) error {
	select {
	case <-p.ended:
		return nil
	default:
	}
	if err := sendSignal(p.PID, s); err != nil {
		return fmt.Errorf("signal %s: %w", p.name, err)
	}
	return nil
}

// Output returns what the process has printed.
func (p *Process) Output(t testing.TB) []byte {
	t.Helper()
	text, err := os.ReadFile(p.log)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// logTail returns the end of the process's output.
func (p *Process) logTail() []byte {
	f, err := os.Open(p.log)
	if err != nil {
		return []byte(err.Error())
	}
	defer f.Close()
	const most = 4000
	if st, err := f.Stat(); err == nil && st.Size() > most {
		_, _ = f.Seek(-most, io.SeekEnd)
	}
	text, _ := io.ReadAll(f)
	return bytes.TrimSpace(text)
}

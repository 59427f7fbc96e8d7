package harness

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Server is a server of package servers, in a separate process.
type Server struct {
	*Process
	URL  string
	Keys []string // tokens, for a server that has some
}

// StartServer starts a server of package servers by its name, with its arguments. It
// returns when the server has printed its address.
func (r *Run) StartServer(name string, args ...string) (*Server, error) {
	lines, p, err := r.startServer(name, args)
	if err != nil {
		return nil, fmt.Errorf("start server %s: %w", name, err)
	}
	return &Server{Process: p, URL: lines[0], Keys: lines[1:]}, nil
}

func (r *Run) startServer(name string, args []string) ([]string, *Process, error) {
	own, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	out, w, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	defer out.Close()
	cmd := exec.Command(own, append([]string{"serve", name}, args...)...)
	cmd.Stdout = w
	p, err := r.Start("server "+name, cmd)
	w.Close()
	if err != nil {
		return nil, nil, err
	}
	lines, err := readUntilEmpty(out)
	if err != nil {
		p.Stop()
		return nil, nil, fmt.Errorf("%w\n%s", err, p.logTail())
	}
	return lines, p, nil
}

// readUntilEmpty reads lines up to an empty one.
func readUntilEmpty(out *os.File) ([]string, error) {
	if err := out.SetReadDeadline(time.Now().Add(StartTimeout)); err != nil {
		return nil, err
	}
	var lines []string
	for r := bufio.NewReader(out); ; {
		line, err := r.ReadString('\n')
		if err == io.EOF {
			return nil, fmt.Errorf("the server ended before it was ready")
		}
		if err != nil {
			return nil, err
		}
		if line = strings.TrimSpace(line); line == "" && len(lines) > 0 {
			return lines, nil
		}
		lines = append(lines, line)
	}
}

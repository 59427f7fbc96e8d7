package lab

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Stand is one of the servers of package stands, in a process of its own.
type Stand struct {
	*Process
	URL string
	// Lines are what it printed behind its address.
	Lines []string
}

// Stand starts the stand of that name with its arguments. It waits for the
// empty line that ends what a stand says of itself.
func (l *Lab) Stand(ctx context.Context, name string, args ...string) (*Stand, error) {
	own, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("start stand %s: %w", name, err)
	}
	cmd := exec.Command(own, append([]string{"stand", name}, args...)...)
	said, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start stand %s: %w", name, err)
	}
	cmd.Stdout = w
	p, err := l.Start("stand "+name, cmd)
	w.Close()
	if err != nil {
		said.Close()
		return nil, err
	}
	lines, err := readHello(said)
	if err != nil {
		p.Stop()
		return nil, fmt.Errorf("stand %s: %w\n%s", name, err, p.lastWords())
	}
	return &Stand{Process: p, URL: lines[0], Lines: lines[1:]}, nil
}

// readHello reads lines up to an empty one.
func readHello(said *os.File) ([]string, error) {
	defer said.Close()
	if err := said.SetReadDeadline(time.Now().Add(startTimeout)); err != nil {
		return nil, err
	}
	var lines []string
	for r := bufio.NewReader(said); ; {
		line, err := r.ReadString('\n')
		if err == io.EOF {
			return nil, fmt.Errorf("it ended before it was ready")
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

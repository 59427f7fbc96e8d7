package find

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"gamedex/bench/lab"
)

// xapian is the program in bench/xapian, which tells how long each answer took
// it: pipes are not part of it.
type xapian struct {
	measured
	process *lab.Process
	to      io.WriteCloser
	from    *bufio.Reader
	found   []int
}

func startXapian(ctx context.Context, l *lab.Lab, docs []title) (engine, error) {
	program, err := compile(ctx, l)
	if err != nil {
		return nil, err
	}
	file, folder := filepath.Join(l.Dir, fmt.Sprintf("titles-%d", len(docs))), filepath.Join(l.Dir, fmt.Sprintf("xapian-%d", len(docs)))
	if err := os.WriteFile(file, lines(docs), 0o644); err != nil {
		return nil, err
	}
	cmd := exec.Command(program, file, folder)
	e := &xapian{}
	if e.to, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, w := io.Pipe()
	cmd.Stdout = w
	e.from = bufio.NewReader(out)
	if e.process, err = l.Start("xapian", cmd); err != nil {
		return nil, err
	}
	var ms float64
	line, err := e.from.ReadString('\n')
	if err != nil {
		return nil, err
	}
	if _, err := fmt.Sscanf(line, "built %f", &ms); err != nil {
		return nil, fmt.Errorf("xapian says %q: %w", line, err)
	}
	e.built = time.Duration(ms * float64(time.Millisecond))
	e.bytes, err = folderSize(folder)
	return e, err
}

func compile(ctx context.Context, l *lab.Lab) (string, error) {
	config, err := l.Tool(ctx, "xapian-config", "--version")
	if err != nil {
		return "", err
	}
	flags, err := exec.CommandContext(ctx, config, "--cxxflags", "--libs").Output()
	if err != nil {
		return "", fmt.Errorf("xapian-config: %w", err)
	}
	compiler, err := l.Tool(ctx, "g++", "--version")
	if err != nil {
		return "", err
	}
	program, err := filepath.Abs(filepath.Join(l.Dir, "xapian-find"))
	if err != nil {
		return "", err
	}
	args := append([]string{"-O2", "-o", program, "xapian/find.cc"}, strings.Fields(string(flags))...)
	if out, err := exec.CommandContext(ctx, compiler, args...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("compile xapian/find.cc: %w\n%s", err, out)
	}
	return program, nil
}

func lines(docs []title) []byte {
	var b bytes.Buffer
	for _, d := range docs {
		b.WriteString(d.own)
		if d.russian != "" {
			b.WriteString("\t" + d.russian)
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

func (e *xapian) ask(kind, text string) (time.Duration, []int, error) {
	if _, err := fmt.Fprintf(e.to, "%s\t%s\n", kind, text); err != nil {
		return 0, nil, err
	}
	line, err := e.from.ReadString('\n')
	if err != nil {
		return 0, nil, err
	}
	fields := strings.Fields(line)
	ns, err := strconv.ParseInt(fields[0], 10, 64)
	if err != nil {
		return 0, nil, fmt.Errorf("xapian says %q: %w", line, err)
	}
	e.found = e.found[:0]
	for _, f := range fields[1:] {
		n, err := strconv.Atoi(f)
		if err != nil {
			return 0, nil, fmt.Errorf("xapian says %q: %w", line, err)
		}
		e.found = append(e.found, n)
	}
	return time.Duration(ns), e.found, nil
}

func (e *xapian) close() error {
	if err := e.to.Close(); err != nil {
		return err
	}
	return e.process.Stop()
}

package alternatives

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"gamedex/bench/harness"
	"gamedex/bench/sample"
)

//go:embed xapian/find.cc
var xapianSource []byte

// StartXapian builds an index of titles with Xapian, in a C++ program. The program
// measures how long each query takes, so that the time in pipes does not count.
func StartXapian(ctx context.Context, r *harness.Run, docs []sample.Title) (*SearchEngine, error) {
	program, err := compileXapian(ctx, r)
	if err != nil {
		return nil, err
	}
	file, folder := filepath.Join(r.Dir, fmt.Sprintf("titles-%d", len(docs))), filepath.Join(r.Dir, fmt.Sprintf("xapian-%d", len(docs)))
	var titles bytes.Buffer
	for _, d := range docs {
		titles.WriteString(strings.Join(d.All(), "\t") + "\n")
	}
	if err := os.WriteFile(file, titles.Bytes(), 0o644); err != nil {
		return nil, err
	}
	cmd := exec.Command(program, file, folder)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	pipe, w := io.Pipe()
	cmd.Stdout = w
	process, err := r.Start("xapian", cmd)
	if err != nil {
		return nil, err
	}
	out := bufio.NewReader(pipe)
	numbers, err := readNumbers(out)
	if err != nil {
		return nil, err
	}
	e := &SearchEngine{Built: time.Duration(numbers[0])}
	e.Search = func(kind sample.QueryKind, text string) (time.Duration, []int, error) {
		if _, err := fmt.Fprintf(in, "%s\t%s\n", kind, text); err != nil {
			return 0, nil, err
		}
		numbers, err := readNumbers(out)
		if err != nil {
			return 0, nil, err
		}
		return time.Duration(numbers[0]), numbers[1:], nil
	}
	e.Close = func() error {
		if err := in.Close(); err != nil {
			return err
		}
		return process.Stop()
	}
	e.Bytes, err = folderSize(folder)
	return e, err
}

func compileXapian(ctx context.Context, r *harness.Run) (string, error) {
	config, err := r.Tool(ctx, "xapian-config", "--version")
	if err != nil {
		return "", err
	}
	flags, err := exec.CommandContext(ctx, config, "--cxxflags", "--libs").Output()
	if err != nil {
		return "", fmt.Errorf("xapian-config: %w", err)
	}
	compiler, err := r.Tool(ctx, "g++", "--version")
	if err != nil {
		return "", err
	}
	program := filepath.Join(r.Dir, "xapian-find")
	if err := os.WriteFile(program+".cc", xapianSource, 0o644); err != nil {
		return "", err
	}
	args := append([]string{"-O2", "-o", program, program + ".cc"}, strings.Fields(string(flags))...)
	if out, err := exec.CommandContext(ctx, compiler, args...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("compile xapian/find.cc: %w\n%s", err, out)
	}
	return program, nil
}

// readNumbers reads a line of at least one number.
func readNumbers(out *bufio.Reader) ([]int, error) {
	line, err := out.ReadString('\n')
	if err != nil {
		return nil, err
	}
	var numbers []int
	for field := range strings.FieldsSeq(line) {
		n, err := strconv.Atoi(field)
		if err != nil {
			return nil, fmt.Errorf("xapian printed %q: %w", line, err)
		}
		numbers = append(numbers, n)
	}
	if len(numbers) == 0 {
		return nil, fmt.Errorf("xapian printed an empty line")
	}
	return numbers, nil
}

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// commit is what a release is made of.
type commit struct {
	id     string
	time   time.Time
	author string // name <address>
}

// source returns the path of a file in the copy of the commit.
func (r *release) source(path string) string { return filepath.Join(r.work, "source", path) }

// checkout copies the last commit. Without tags and history the Go command records the
// same version of the main module in each clone.
func (r *release) checkout() error {
	root, err := output("", nil, "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	if changed, err := output(root, nil, "git", "status", "--porcelain"); err == nil && changed != "" {
		fmt.Fprintln(os.Stderr, "release: changes that are not committed are left out")
	}
	if _, err := output(root, nil, "git", "clone", "--quiet", "--no-tags", "--depth=1", "file://"+root, r.source("")); err != nil {
		return err
	}
	line, err := output(r.source(""), nil, "git", "log", "-1", "--format=%H %ct %an <%ae>")
	if err != nil {
		return err
	}
	id, rest, _ := strings.Cut(line, " ")
	seconds, author, _ := strings.Cut(rest, " ")
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return fmt.Errorf("time of the commit: %w", err)
	}
	r.commit = commit{id, time.Unix(n, 0).UTC(), author}
	return nil
}

// output runs a program in a folder and returns what it prints, without space around it.
// An error has what the program said.
func output(dir string, env []string, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, strings.TrimSpace(said.String()))
	}
	return strings.TrimSpace(string(out)), nil
}

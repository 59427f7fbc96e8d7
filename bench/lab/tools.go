package lab

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
)

// usual are places of servers that are not on everybody's PATH, newest last.
var usual = []string{"/usr/local/sbin", "/usr/sbin", "/usr/lib/postgresql/*/bin"}

// Tool finds a program and notes its version for the report. versionFlag is
// what makes it tell.
func (l *Lab) Tool(ctx context.Context, name, versionFlag string) (string, error) {
	path, err := find(name)
	if err != nil {
		return "", err
	}
	// Some tell their version and then fail.
	said, _ := exec.CommandContext(ctx, path, versionFlag).CombinedOutput()
	first, _, _ := strings.Cut(strings.TrimSpace(string(said)), "\n")
	l.Noted(name, first)
	return path, nil
}

// Noted puts a version into the report, once.
func (l *Lab) Noted(name, version string) {
	v := [2]string{name, version}
	if !slices.Contains(l.versions, v) {
		l.versions = append(l.versions, v)
	}
}

// Versions are name and version of all programs that were used so far, and of
// the modules that are compared with.
func (l *Lab) Versions() [][2]string {
	return append(l.versions[:len(l.versions):len(l.versions)], rivals()...)
}

// rivals are modules that are no part of the service, or on both sides.
func rivals() [][2]string {
	var list [][2]string
	built, ok := debug.ReadBuildInfo()
	if !ok {
		return nil // only a program built without modules
	}
	for _, m := range built.Deps {
		for _, name := range []string{"bleve/v2", "valkey-go", "pgx/v5", "modernc.org/sqlite", "klauspost/compress"} {
			if strings.HasSuffix(m.Path, name) {
				list = append(list, [2]string{m.Path, m.Version})
			}
		}
	}
	return list
}

func find(name string) (string, error) {
	// Real binaries before wrappers on the PATH.
	for _, pattern := range slices.Backward(usual) {
		matches, err := filepath.Glob(filepath.Join(pattern, name))
		if err == nil && len(matches) > 0 {
			return slices.Max(matches), nil
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("%s is missing; scripts/bench-setup installs it: %w", name, err)
	}
	return path, nil
}

// Machine tells what everything ran on: a name and a value in each line.
func Machine() [][2]string {
	memory, _, _ := strings.Cut(grep("/proc/meminfo", "MemTotal"), " kB")
	var kb float64
	fmt.Sscan(memory, &kb) // 0 shows that it is not known
	return [][2]string{
		{"CPU", grep("/proc/cpuinfo", "model name")},
		{"cores", fmt.Sprint(runtime.NumCPU())},
		{"memory", fmt.Sprintf("%.1f GiB", kb/(1<<20))},
		{"kernel", grep("/proc/sys/kernel/osrelease", "")},
	}
}

// grep is what stands behind the colon of the first line that begins so, or the
// first line if it has none.
func grep(file, prefix string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return "not known: " + err.Error()
	}
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, prefix) {
			continue
		}
		if _, value, ok := strings.Cut(line, ":"); ok && prefix != "" {
			line = value
		}
		return strings.TrimSpace(line)
	}
	return "not known"
}

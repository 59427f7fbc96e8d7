package harness

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

// toolFolders hold servers that are often not on the PATH. The last is searched
// first.
var toolFolders = []string{"/usr/local/sbin", "/usr/sbin"}

// Tool returns the path of a program and adds its version, which it prints when
// called with versionFlag, to the report.
func (r *Run) Tool(ctx context.Context, name, versionFlag string) (string, error) {
	path, err := findTool(name)
	if err != nil {
		return "", err
	}
	r.addVersion(ctx, path, versionFlag)
	return path, nil
}

// addVersion adds the version of a program to the report.
func (r *Run) addVersion(ctx context.Context, path, versionFlag string) {
	// Some programs print their version and then fail.
	out, _ := exec.CommandContext(ctx, path, versionFlag).CombinedOutput()
	first, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	if v := [2]string{filepath.Base(path), first}; !slices.Contains(r.versions, v) {
		r.versions = append(r.versions, v)
	}
}

func findTool(name string) (string, error) {
	// The folders come before the PATH, where a wrapper may be.
	for _, pattern := range slices.Backward(toolFolders) {
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

// comparedModules are the Go modules that the product is compared with, or that
// both sides use.
var comparedModules = []string{"bleve/v2", "valkey-go", "pgx/v5", "modernc.org/sqlite", "klauspost/compress"}

// Versions returns the names and versions of the tools used so far and of the
// modules compared with.
func (r *Run) Versions() [][2]string {
	list := slices.Clone(r.versions)
	if built, ok := debug.ReadBuildInfo(); ok {
		for _, m := range built.Deps {
			if slices.ContainsFunc(comparedModules, func(name string) bool { return strings.HasSuffix(m.Path, name) }) {
				list = append(list, [2]string{m.Path, m.Version})
			}
		}
	}
	return list
}

// Machine describes the machine, as names and values.
func Machine() [][2]string {
	var kb float64
	fmt.Sscan(firstLine("/proc/meminfo", "MemTotal"), &kb) // 0 if unknown
	return [][2]string{
		{"CPU", firstLine("/proc/cpuinfo", "model name")},
		{"cores", fmt.Sprint(runtime.NumCPU())},
		{"memory", fmt.Sprintf("%.1f GiB", kb/(1<<20))},
		{"kernel", firstLine("/proc/sys/kernel/osrelease", "")},
	}
}

// firstLine returns the first line of a file with a prefix, without its name and
// colon.
func firstLine(file, prefix string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return "unknown: " + err.Error()
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
	return "unknown"
}

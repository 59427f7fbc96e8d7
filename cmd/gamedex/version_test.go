package main

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/index"
	"gamedex/internal/sqldb"
)

// changelogVersions returns the versions in CHANGELOG.md, from the top. It checks that
// each has one heading with a date, and that they are in order.
func changelogVersions(t *testing.T) (versions []string) {
	t.Helper()
	text := read(t, "../../CHANGELOG.md")
	heading := regexp.MustCompile(`^\[(\d+\.\d+\.\d+)\] - (\d{4}-\d\d-\d\d)$`)
	for i, section := range strings.Split(text, "\n## ")[1:] {
		name, _, _ := strings.Cut(section, "\n")
		if i == 0 && name == "[Unreleased]" {
			continue
		}
		found := heading.FindStringSubmatch(name)
		if found == nil {
			t.Fatalf("CHANGELOG.md has the heading %q, want [version] - date", name)
		}
		if _, err := time.Parse(time.DateOnly, found[2]); err != nil {
			t.Error(err)
		}
		versions = append(versions, found[1])
	}
	for i := 1; i < len(versions); i++ {
		if slices.Compare(numbersOf(t, versions[i-1]), numbersOf(t, versions[i])) <= 0 {
			t.Errorf("CHANGELOG.md has version %s above %s, want each once, newest first", versions[i-1], versions[i])
		}
	}
	return versions
}

// numbersOf returns the numbers of a version, which order versions.
func numbersOf(t *testing.T, version string) (numbers []int) {
	t.Helper()
	for part := range strings.SplitSeq(version, ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			t.Fatal(err)
		}
		numbers = append(numbers, n)
	}
	return numbers
}

// TestChangelog checks that the program has the newest version of CHANGELOG.md, that the
// sections are those of Keep a Changelog, that testdata/compat has every version before it,
// and that tags are versions in it.
func TestChangelog(t *testing.T) {
	t.Parallel()
	versions := changelogVersions(t)
	if versions[0] != version {
		t.Errorf("the program has version %s, and CHANGELOG.md %s", version, versions[0])
	}
	for _, section := range regexp.MustCompile(`(?m)^### (.*)$`).FindAllStringSubmatch(read(t, "../../CHANGELOG.md"), -1) {
		if !slices.Contains([]string{"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}, section[1]) {
			t.Errorf("CHANGELOG.md has the section %q", section[1])
		}
	}
	for _, old := range versions[1:] {
		if !slices.Contains(released(t), filepath.Join(releases, old)) {
			t.Errorf("%s has no folder for version %s", releases, old)
		}
	}
	tags, err := exec.Command("git", "tag", "--list", "v*").Output()
	if err != nil {
		t.Skip("no git checkout: tags are not compared")
	}
	for _, tag := range strings.Fields(string(tags)) {
		if !slices.Contains(versions, strings.TrimPrefix(tag, "v")) {
			t.Errorf("the tag %s has no entry in CHANGELOG.md", tag)
		}
	}
	here, _ := exec.Command("git", "tag", "--list", "v*", "--points-at", "HEAD").Output()
	if tag := strings.TrimSpace(string(here)); tag != "" && tag != "v"+version {
		t.Errorf("this commit has the tag %s, and the program has version %s", tag, version)
	}
}

// TestVersionAsJSON checks what `gamedex version --json` prints.
func TestVersionAsJSON(t *testing.T) {
	t.Parallel()
	got := decoded[versionInfo](t, must(t, t.TempDir(), "", "version", "--json"))
	want := versionInfo{Version: version, Go: runtime.Version(), Schema: sqldb.SchemaVersion(), SnapshotFormat: index.Format, Contract: "1"}
	got.Commit, got.Time, got.Modified = "", "", false // of a test binary they are empty or not, depending on GOFLAGS
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	built := &debug.BuildInfo{GoVersion: "go1.26.8", Settings: []debug.BuildSetting{
		{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: "66519d8bf1d4"}, {Key: "vcs.time", Value: "2026-11-20T18:31:30Z"}, {Key: "vcs.modified", Value: "true"},
	}}
	var info versionInfo
	info.addBuild(built)
	if diff := cmp.Diff(versionInfo{Go: "go1.26.8", Commit: "66519d8bf1d4", Time: "2026-11-20T18:31:30Z", Modified: true}, info); diff != "" {
		t.Error(diff)
	}
}

// TestWorkflowCallsMake checks that the hosted checks are those of the Makefile, which
// everybody can run, and nothing else.
func TestWorkflowCallsMake(t *testing.T) {
	t.Parallel()
	commands := regexp.MustCompile(`(?m)^ *(?:- )?run: *(\S.*)$`).FindAllStringSubmatch(read(t, "../../.github/workflows/check.yml"), -1)
	var run []string
	for _, command := range commands {
		run = append(run, command[1])
	}
	same(t, "commands of the workflow", run, "make check", `make release VERSION="${GITHUB_REF_NAME#v}"`)
}

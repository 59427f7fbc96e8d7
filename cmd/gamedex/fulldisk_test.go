//go:build linux

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"gamedex/internal/testing/await"
)

// inNamespace marks a run of the tests that may mount file systems.
const inNamespace = "GAMEDEX_TEST_IN_NAMESPACE"

// smallDisk returns a folder on a file system of a few megabytes, and false if the
// test ran in another process, which may mount one: anybody may do that in their own
// namespace, on most machines.
func smallDisk(t *testing.T) (dir string, here bool) {
	t.Helper()
	if os.Getenv(inNamespace) != "" {
		dir = t.TempDir()
		if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=12m"); err != nil {
			t.Skipf("a file system cannot be mounted here: %v", err)
		}
		t.Cleanup(func() {
			if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
				t.Error(err)
			}
		})
		return dir, true
	}
	cmd := exec.Command(os.Args[0], "-test.v", "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), inNamespace+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
		Pdeathsig:   syscall.SIGKILL,
	}
	var out await.Text
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Skipf("no namespace for file systems can be made here: %v", err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v:\n%s", err, &out)
	}
	if strings.Contains(out.String(), "--- SKIP") {
		t.Skip(out.String())
	}
	return "", false
}

// fill fills the file system of dir and returns what frees it again.
func fill(t *testing.T, dir string) (free func()) {
	t.Helper()
	name := filepath.Join(dir, "filler")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	chunk := make([]byte, 4096)
	for err == nil {
		_, err = f.Write(chunk)
	}
	return func() {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFullDiskAtTheStart starts the service on a full disk. It checks that the
// service answers, knows its keys and says why it saves nothing, and that all works
// again without a restart once there is space. A killed process left the database:
// the last commits are in the log only.
func TestFullDiskAtTheStart(t *testing.T) {
	fileOnly(t, "it fills the disk of a database in a file")
	t.Parallel()
	disk, here := smallDisk(t)
	if !here {
		return
	}
	dir := filepath.Join(disk, "data")
	must(t, dir, "", "import", testFeed)
	_, token := newKey(t, dir, highLimits...)
	s := start(t, dir)
	s.healthy()
	_, late := newKey(t, dir)
	revoked, gone := newKey(t, dir)
	must(t, dir, "", "key", "revoke", revoked)
	s.kill()
	// The service makes the index of the log anew; the old one would leave it room.
	if err := os.Remove(filepath.Join(dir, "gamedex.db-shm")); err != nil {
		t.Fatal(err)
	}
	free := fill(t, disk)

	s = start(t, dir)
	u := newUser(t, s.api, token)
	u.get("/health").want(200)
	u.get("/catalog/search?q=star").want(200)
	u.get("/catalog/search?q=star", bearer(late)).want(200)
	u.get("/catalog/search?q=star", bearer(gone)).code(403, "KEY_REVOKED")
	for _, page := range []string{"/", "/signin", "/docs"} {
		if res, body := fetch(t, "GET", s.api+page); res.StatusCode != 200 {
			t.Errorf("%s: %d %.300s", page, res.StatusCode, body)
		}
	}
	ready := func() string {
		t.Helper()
		res, body := fetch(t, "GET", s.ops+"/readyz")
		if res.StatusCode != 200 {
			t.Errorf("/readyz: %d %s", res.StatusCode, body)
		}
		return body
	}
	const cause = "nothing can be saved"
	if body := ready(); !strings.Contains(body, cause) || !strings.Contains(body, "the disk is full") {
		t.Errorf("/readyz does not name the cause: %s", body)
	}
	s.logs("the disk is full")
	if beside := run(t, dir, "", "key", "revoke", revoked); beside.status != 1 || !strings.Contains(beside.stderr, "while the disk is full") {
		t.Errorf("a command beside it: exit %d, %s", beside.status, beside.stderr)
	}

	free()
	if !await.Progress(func() bool { return !strings.Contains(ready(), cause) }, await.Nothing) {
		t.Fatalf("still not writable: %s%s", ready(), s.stderr)
	}
	_, token = newKey(t, dir) // another process writes
	u.get("/catalog/search?q=star", bearer(token)).want(200)
	must(t, dir, `{"platform":"pcstore","region":"UA","product":"space-again","slug":"space-again","title":"Space Again","price":{"currency":"UAH","current":1000},"observedAt":"2026-01-01T00:00:00Z"}`, "import", "-")
	u.eventually("/catalog/search?q=space+again", func(a answer) bool { return strings.Contains(string(a.body), "Space Again") })
}

package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// debianSystem is the Debian system that scripts/setup release fetches.
const debianSystem = "../../.cache/debian/system"

// machine is a Debian system with systemd, rpm and Podman. Each use of it is a container with
// a copy of its files in memory, and without a network.
type machine struct {
	system string
	site   string // the folder that is /site in the container
}

// newMachine skips a test that cannot have a machine. Where GAMEDEX_MACHINE is "required", as
// `make check` sets it, root cannot do without.
func newMachine(t *testing.T, site string) machine {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("not run: only root can boot the Debian system in which this test installs packages")
	}
	system, err := filepath.EvalSymlinks(debianSystem)
	if err == nil {
		return machine{system, site}
	}
	const missing = "not run: the Debian system is missing in which this test installs packages; scripts/setup release fetches it"
	if os.Getenv("GAMEDEX_MACHINE") == "required" {
		t.Fatal(missing)
	}
	t.Skip(missing)
	return machine{}
}

// boot starts the system, runs a bash script in it once it is up, and returns what the
// script prints.
func (m machine) boot(t *testing.T, script string) string {
	t.Helper()
	walk := t.TempDir()
	if err := os.WriteFile(filepath.Join(walk, "script"), []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	args := []string{"--bind=" + walk + ":/run/walk", "--tmpfs=/var/lib/containers", "--capability=all"}
	for name, path := range map[string]string{
		"walk.service": "/etc/systemd/system/", "gamedex.conf": "/etc/systemd/system/gamedex.service.d/", "containers.conf": "/etc/containers/", "rpm": "/usr/local/bin/",
	} {
		args = append(args, "--bind-ro="+absolute(t, filepath.Join("testdata/machine", name))+":"+path+name)
	}
	said, err := m.contain(append(args, "--boot", "systemd.unit=walk.service", "systemd.show_status=no"))
	printed, _ := os.ReadFile(filepath.Join(walk, "output"))
	if err != nil {
		t.Fatalf("%v: %s\n%s", err, said, printed)
	}
	return string(printed)
}

// run runs a command in the system while systemd does not run.
func (m machine) run(t *testing.T, command ...string) {
	t.Helper()
	if said, err := m.contain(command); err != nil {
		t.Fatalf("%q: %v\n%s", command, err, said)
	}
}

// contain runs systemd-nspawn. Only one at a time can use the system.
func (m machine) contain(args []string) (said []byte, err error) {
	defer removeGroups()
	args = append([]string{
		m.system, "timeout", "--signal=KILL", "15m", "systemd-nspawn", "--quiet", "--register=no", "--keep-unit",
		"--directory=" + m.system, "--volatile=overlay", "--private-network", "--console=pipe", "--bind-ro=" + m.site + ":/site",
	}, args...)
	return exec.Command("flock", args...).CombinedOutput()
}

// removeGroups removes the control groups that systemd-nspawn leaves in that of this process:
// once controllers are enabled in them, no other container can begin there.
func removeGroups() {
	own, _ := os.ReadFile("/proc/self/cgroup")
	_, path, _ := strings.Cut(string(own), "0::")
	for _, hierarchy := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified", "/sys/fs/cgroup/systemd"} {
		left := filepath.Join(hierarchy, strings.TrimSpace(path), "payload")
		_ = exec.Command("find", left, "-depth", "-type", "d", "-exec", "rmdir", "{}", ";").Run() // most machines lack some
	}
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// layOut makes the folder that takes the place of the site of the releases. It holds the
// release that was made, and the program, the unit and the data of the first release, with a
// package and an image of them, which that release did not have, and what `make install`
// installs. It returns the version of the first release.
func layOut(t *testing.T, made *release, site string) (older string) {
	t.Helper()
	recorded, err := filepath.Glob("../../testdata/compat/*.*.*")
	if err != nil || len(recorded) == 0 {
		t.Fatalf("no releases are recorded: %v", err)
	}
	older = filepath.Base(recorded[0])
	command(t, "", "make", "-C", "../..", "install", "PROGRAM="+made.binary(host), "DESTDIR="+filepath.Join(site, "source"))
	folder, source := filepath.Join(site, older), t.TempDir()
	command(t, "", "bash", "-e", "-o", "pipefail", "-c", `
git -C ../.. archive "$(cat "$1/commit")" | tar -x -C "$2"
mkdir "$3"
cp -r "$1/data" "$2/packaging/gamedex.service" "$3"
sed -n 's/^ *"active": "\(.*\)",$/\1/p' "$1/keys.json" >"$3/key"
program=$(realpath "$3")/gamedex
cd "$2"
CGO_ENABLED=0 go build -trimpath -o "$program" ./cmd/gamedex`, "bash", recorded[0], source, folder)
	old := *made
	old.version, old.out, old.work = older, folder, t.TempDir()
	command(t, "", "ln", filepath.Join(folder, "gamedex"), old.binary(host))
	if err := errors.Join(old.pack(host, "deb"), old.image()); err != nil {
		t.Fatal(err)
	}
	return older
}

// testPackage upgrades from the package of an older release to that of this one.
func testPackage(t *testing.T, m machine, older, version string) {
	deb := func(version string) string { return "/site/" + version + "/gamedex_" + version + "_amd64.deb" }
	script := absolute(t, "testdata/machine/package.sh")
	m.run(t, "--bind-ro="+script+":/run/package.sh", "bash", "-eu", "/run/package.sh", deb(older), deb(version))
}

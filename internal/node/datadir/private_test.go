//go:build linux

package datadir

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// dataFolder makes a data folder with the given permissions of the folder and of all
// files.
func dataFolder(t *testing.T, folder, files fs.FileMode) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "gamedex-private-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Mkdir(filepath.Join(dir, "snapshots"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"gamedex.db", "gamedex.db-wal", "gamedex.db.lock", "server.json", "overrides.ndjson"} {
		writeFile(t, filepath.Join(dir, name), files)
	}
	setMode(t, dir, folder)
	return dir
}

func writeFile(t *testing.T, name string, mode fs.FileMode) {
	t.Helper()
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	setMode(t, name, mode)
}

func setMode(t *testing.T, name string, mode fs.FileMode) {
	t.Helper()
	if err := os.Chmod(name, mode); err != nil {
		t.Fatal(err)
	}
}

func modeOf(t *testing.T, name string) fs.FileMode {
	t.Helper()
	st, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	return st.Mode() & (fs.ModePerm | fs.ModeSticky)
}

func keep(dir string) ([]string, error) {
	return KeepPrivate(dir, filepath.Join(dir, "gamedex.db"), filepath.Join(dir, "server.json"))
}

// TestFoldersWithOtherThings checks that KeepPrivate leaves folders alone that are
// not for the data only, unless anybody could replace the database.
func TestFoldersWithOtherThings(t *testing.T) {
	for _, c := range []struct {
		what            string
		other           string // folder, or file with an extension, beside the data
		before, after   fs.FileMode
		refused         bool
		changedNames    string
		filesOfDatabase fs.FileMode
	}{
		{"the data alone", "", 0o755, 0o700, false, "server.json,gamedex.db,gamedex.db-wal,gamedex.db.lock,.", 0o600},
		{"on a disk of its own", "lost+found", 0o777, 0o700, false, "server.json,gamedex.db,gamedex.db-wal,gamedex.db.lock,.", 0o600},
		{"a home folder", "Documents", 0o755, 0o755, false, "server.json,gamedex.db,gamedex.db-wal,gamedex.db.lock", 0o600},
		{"a website", "index.html", 0o755, 0o755, false, "server.json,gamedex.db,gamedex.db-wal,gamedex.db.lock", 0o600},
		{"a folder for temporary files", "", 0o777 | fs.ModeSticky, 0o777 | fs.ModeSticky, false, "server.json,gamedex.db,gamedex.db-wal,gamedex.db.lock", 0o600},
		{"a folder where anybody may replace files", "Documents", 0o777, 0o777, true, "", 0o644},
	} {
		t.Run(c.what, func(t *testing.T) {
			dir := dataFolder(t, c.before, 0o644)
			other := filepath.Join(dir, c.other)
			if filepath.Ext(c.other) != "" {
				writeFile(t, other, 0o755)
			} else if err := os.MkdirAll(other, 0o755); err != nil {
				t.Fatal(err)
			}
			mended, err := keep(dir)
			if (err != nil) != c.refused {
				t.Errorf("error %v", err)
			}
			var names []string
			for _, name := range mended {
				short, err := filepath.Rel(dir, name)
				if err != nil {
					t.Fatal(err)
				}
				names = append(names, short)
			}
			if got := strings.Join(names, ","); got != c.changedNames {
				t.Errorf("changed %s, want %s", got, c.changedNames)
			}
			if got := modeOf(t, dir); got != c.after {
				t.Errorf("the folder has mode %v, want %v", got, c.after)
			}
			if got := modeOf(t, filepath.Join(dir, "gamedex.db-wal")); got != c.filesOfDatabase {
				t.Errorf("the log has mode %v, want %v", got, c.filesOfDatabase)
			}
			if got := modeOf(t, filepath.Join(dir, "overrides.ndjson")); got != 0o644 {
				t.Errorf("a file of the operator has mode %v", got)
			}
			if got := modeOf(t, other).Perm(); c.other != "" && got != 0o755 {
				t.Errorf("%s has mode %v", c.other, got)
			}
		})
	}
}

// TestDataOfAnotherUser checks that data of somebody else may be open to a group, as
// volumes of containers are, but not to everybody.
func TestDataOfAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can act as another user")
	}
	for _, c := range []struct {
		folder, files fs.FileMode
		refused       string
	}{{0o770, 0o660, ""}, {0o775, 0o660, "."}, {0o775, 0o664, "server.json"}} {
		dir := dataFolder(t, c.folder, c.files)
		if err := os.Chown(dir, -1, 65534); err != nil {
			t.Fatal(err)
		}
		mended, err := asNobody(func() ([]string, error) { return keep(dir) })
		if len(mended) > 0 {
			t.Errorf("%v %v: changed %q", c.folder, c.files, mended)
		}
		if c.refused == "" && err != nil || c.refused != "" && (err == nil || !strings.Contains(err.Error(), "chmod go= "+filepath.Join(dir, c.refused))) {
			t.Errorf("%v %v: %v", c.folder, c.files, err)
		}
	}
}

// asNobody calls fn while this thread has the file access of the user nobody.
func asNobody[T any](fn func() (T, error)) (T, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	syscall.RawSyscall(syscall.SYS_SETFSGID, 65534, 0, 0)
	syscall.RawSyscall(syscall.SYS_SETFSUID, 65534, 0, 0)
	defer syscall.RawSyscall(syscall.SYS_SETFSGID, 0, 0, 0)
	defer syscall.RawSyscall(syscall.SYS_SETFSUID, 0, 0, 0)
	return fn()
}

//go:build unix

package enginetest

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"strings"
	"syscall"
)

// unsupported says why no server runs here; nil if they do.
var unsupported error

const (
	stopSignal     = syscall.SIGSTOP
	continueSignal = syscall.SIGCONT
)

// command returns a command that runs in a folder, not as root, and in a process
// group of its own.
func command(dir, program string, args ...string) (*exec.Cmd, error) {
	as, err := serverUser()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	setApart(cmd)
	cmd.SysProcAttr.Credential = as
	return cmd, nil
}

// setApart gives a command a process group of its own, which the keyboard does not
// interrupt.
func setApart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// giveToServers makes the user of servers the owner of a file.
func giveToServers(path string) error {
	as, err := serverUser()
	if err == nil && as != nil {
		err = os.Chown(path, int(as.Uid), int(as.Gid))
	}
	return err
}

// serverUser returns the user whom root runs servers as; nil for another user, who
// runs them themselves.
func serverUser() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		u, err = user.Lookup("nobody")
	}
	if err != nil {
		return nil, fmt.Errorf("servers do not run as root: %w", err)
	}
	uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
	gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, errors.Join(err1, err2)
}

// memory returns the folder of a file system in memory, or "" where there is none with
// 8 GiB to spare. A database has about 900 files: to create and drop one takes PostgreSQL
// several times as long on a disk.
func memory() string {
	const folder, spare = "/dev/shm", 8 << 30
	var fs syscall.Statfs_t
	if err := syscall.Statfs(folder, &fs); err != nil || uint64(fs.Bavail)*uint64(fs.Bsize) < spare {
		return ""
	}
	return folder
}

// sendSignal signals a process; one that has ended is not an error.
func sendSignal(pid int, s syscall.Signal) error {
	if err := syscall.Kill(pid, s); err != nil && !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return nil
}

// childrenOf returns the processes that a process has started. Where there is no /proc,
// it returns none.
func childrenOf(pid int) (list []int, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%[1]d/task/%[1]d/children", pid))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
		return nil, nil
	}
	for field := range strings.FieldsSeq(string(text)) {
		child, err := strconv.Atoi(field)
		if err != nil {
			return nil, err
		}
		list = append(list, child)
	}
	return list, err
}

// hasEnded reports whether a process that childrenOf returned has ended. A zombie has: it only
// waits for another process to read how.
func hasEnded(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, fields, _ := bytes.Cut(text, []byte(") ")) // after the name, which may have spaces
	return err != nil || bytes.HasPrefix(fields, []byte("Z"))
}

package enginetest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// NewFolder makes a folder for a server. Its path is short: a socket in it must not
// have more than about a hundred bytes.
func NewFolder() (string, error) {
	dir, err := os.MkdirTemp("", "gamedex-engine-")
	if err != nil {
		return "", fmt.Errorf("make a folder for a server: %w", err)
	}
	as, err := serverUser()
	if err == nil && as != nil {
		err = os.Chown(dir, int(as.Uid), int(as.Gid))
	}
	if err != nil {
		return "", errors.Join(err, os.RemoveAll(dir))
	}
	return dir, nil
}

// command returns a command that runs in a folder, not as root, and in a process
// group of its own, which the keyboard does not interrupt.
func command(dir, program string, args ...string) (*exec.Cmd, error) {
	as, err := serverUser()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: as}
	return cmd, nil
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

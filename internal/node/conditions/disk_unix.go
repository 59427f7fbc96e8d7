//go:build unix

package conditions

import "syscall"

// space returns how many bytes the file system of a folder has, and how many of them are free for
// this process.
func space(dir string) (size, free uint64, err error) {
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil {
		return 0, 0, err
	}
	return uint64(st.Blocks) * uint64(st.Bsize), uint64(st.Bavail) * uint64(st.Bsize), nil
}

package conditions

import "golang.org/x/sys/windows"

// space returns how many bytes the file system of a folder has, and how many of them are free for
// this process.
func space(dir string) (size, free uint64, err error) {
	name, err := windows.UTF16PtrFromString(dir)
	if err == nil {
		err = windows.GetDiskFreeSpaceEx(name, &free, &size, nil)
	}
	return size, free, err
}

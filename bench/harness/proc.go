package harness

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// procTick is the unit of times in /proc on every Linux that Go supports.
const procTick = time.Second / 100

// CPUTime returns the user and system time, to 10 ms, that a process and its
// running descendants have used.
func CPUTime(pid int) (time.Duration, error) {
	total, err := ownCPUTime(pid)
	if err != nil {
		return 0, fmt.Errorf("read CPU time of process %d: %w", pid, err)
	}
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil {
		return 0, fmt.Errorf("read children of process %d: %w", pid, err)
	}
	for field := range strings.FieldsSeq(string(children)) {
		child, err := strconv.Atoi(field)
		if err != nil {
			return 0, fmt.Errorf("read children of process %d: %w", pid, err)
		}
		used, err := CPUTime(child)
		if err != nil {
			return 0, err
		}
		total += used
	}
	return total, nil
}

// ownCPUTime reads fields 14 and 15 of /proc/pid/stat. It counts fields from the
// last bracket, because the process name before it may contain anything.
func ownCPUTime(pid int) (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	var user, system int64
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	_, err = fmt.Sscan(string(fields[11])+" "+string(fields[12]), &user, &system)
	return time.Duration(user+system) * procTick, err
}

// OwnCPU returns the user and system time that this process has used.
func OwnCPU() (time.Duration, error) {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0, fmt.Errorf("read own CPU time: %w", err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano()), nil
}

// PeakResident returns how many bytes of memory a process had resident at most.
func PeakResident(pid int) (int64, error) {
	var kb int64
	text := firstLine(fmt.Sprintf("/proc/%d/status", pid), "VmHWM")
	if _, err := fmt.Sscan(text, &kb); err != nil {
		return 0, fmt.Errorf("read peak memory of process %d: %q: %w", pid, text, err)
	}
	return kb << 10, nil
}

// ResetPeak makes [PeakResident] of this process begin anew.
func ResetPeak() error {
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		return fmt.Errorf("reset peak memory: %w", err)
	}
	return nil
}

// Resident returns how many bytes of memory a process has resident.
func Resident(pid int) (int64, error) {
	var size, pages int64
	statm, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err == nil {
		_, err = fmt.Sscan(string(statm), &size, &pages)
	}
	if err != nil {
		return 0, fmt.Errorf("read memory of process %d: %w", pid, err)
	}
	return pages * int64(os.Getpagesize()), nil
}

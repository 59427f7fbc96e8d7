package measure

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of times in /proc, the same on every Linux that Go runs on.
const tick = time.Second / 100

// CPUTime is what a process and all that it started and that still run have
// used so far, in user and system time, to 10 ms.
func CPUTime(pid int) (time.Duration, error) {
	total, err := own(pid)
	if err != nil {
		return 0, err
	}
	children, err := childrenOf(pid)
	if err != nil {
		return 0, err
	}
	for _, child := range children {
		used, err := CPUTime(child)
		if err != nil {
			return 0, err
		}
		total += used
	}
	return total, nil
}

// own reads fields 14 and 15 of /proc/pid/stat; the name before them may hold
// anything, so counting begins behind its last bracket.
func own(pid int) (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, fmt.Errorf("read CPU time of process %d: %w", pid, err)
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	user, err1 := strconv.ParseInt(string(fields[11]), 10, 64)
	system, err2 := strconv.ParseInt(string(fields[12]), 10, 64)
	if err1 != nil || err2 != nil {
		return 0, fmt.Errorf("read CPU time of process %d: %q", pid, stat)
	}
	return time.Duration(user+system) * tick, nil
}

func childrenOf(pid int) ([]int, error) {
	list, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil {
		return nil, fmt.Errorf("read children of process %d: %w", pid, err)
	}
	var pids []int
	for field := range strings.FieldsSeq(string(list)) {
		child, err := strconv.Atoi(field)
		if err != nil {
			return nil, fmt.Errorf("read children of process %d: %w", pid, err)
		}
		pids = append(pids, child)
	}
	return pids, nil
}

// Resident is how much memory a process holds now, in bytes.
func Resident(pid int) (int64, error) {
	statm, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0, fmt.Errorf("read memory of process %d: %w", pid, err)
	}
	fields := strings.Fields(string(statm))
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("read memory of process %d: %w", pid, err)
	}
	return pages * int64(os.Getpagesize()), nil
}

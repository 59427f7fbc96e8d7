package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"runtime/debug"

	"github.com/KimMachineGun/automemlimit/memlimit"

	"gamedex/internal/node"
)

const mib = 1 << 20

// leastMemory is what the service needs for a small catalog and a few clients.
const leastMemory = 128 * mib

// limitMemory sizes what the process may hold by the limit of its control group. GOMEMLIMIT and
// --answer-cache have precedence.
func (s *serveCommand) limitMemory(c *node.Config) {
	heap := debug.SetMemoryLimit(-1)
	limit, limited := groupLimit(c)
	if limited && os.Getenv("GOMEMLIMIT") == "" {
		heap = heapOf(limit)
		debug.SetMemoryLimit(heap)
	}
	c.AnswerMemory, c.AnswerCache = sharesOf(heap)
	if s.AnswerCache != nil {
		c.AnswerCache = int64(*s.AnswerCache) * mib
	}
	if heap < math.MaxInt64 {
		log := c.Log
		if limited {
			log = log.With("limit", inMiB(limit))
		}
		log.Info("memory is limited", "go", inMiB(heap), "answers", inMiB(c.AnswerMemory), "answer_cache", inMiB(c.AnswerCache))
	}
	if limit < leastMemory {
		c.Log.Warn("the memory limit is so low that the process may be killed", "limit", inMiB(limit), "least", inMiB(leastMemory))
	}
}

// groupLimit returns the memory limit of the control group of this process, if there is one.
func groupLimit(c *node.Config) (limit int64, limited bool) {
	found, err := memlimit.FromCgroup()
	if err != nil && !errors.Is(err, memlimit.ErrNoLimit) && !errors.Is(err, memlimit.ErrNoCgroup) && !errors.Is(err, memlimit.ErrCgroupsNotSupported) {
		c.Log.Warn("the memory limit of this process cannot be read; if it has one, set GOMEMLIMIT", "error", err)
	}
	if err != nil || found >= math.MaxInt64 {
		return math.MaxInt64, false
	}
	return int64(found), true
}

// heapOf returns the limit of the Go runtime in a control group. It leaves the rest to the cache
// of SQLite and the buffers of connections, which the runtime does not count.
func heapOf(limit int64) int64 { return limit - max(limit/10, min(limit/4, 128*mib)) }

// sharesOf returns how much of the heap answers and their cache may have.
func sharesOf(heap int64) (answers, cache int64) { return min(heap/4, 256*mib), min(heap/16, 64*mib) }

func inMiB(bytes int64) string { return fmt.Sprintf("%dMiB", bytes/mib) }

package web

import (
	"sync"
	"time"
)

// PublicLimits are how many requests for public pages are answered in a minute of the clock.
type PublicLimits struct {
	Each int // from one IPv4 address or one /64
	All  int // from all together
}

// visitors counts the requests of the current minute. The zero value is ready. It holds at most
// as many networks as there were answers in that minute.
type visitors struct {
	mu     sync.Mutex
	minute int64
	all    int
	each   map[string]int
}

// take counts a request from a network at now (Unix milliseconds). If a limit is reached, it
// counts nothing and returns how long the minute still lasts.
func (c *visitors) take(network string, now int64, limits PublicLimits) (wait time.Duration) {
	const minuteMillis = 60_000
	c.mu.Lock()
	defer c.mu.Unlock()
	if minute := now / minuteMillis; minute != c.minute || c.each == nil {
		c.minute, c.all, c.each = minute, 0, map[string]int{}
	}
	if c.all >= limits.All || c.each[network] >= limits.Each {
		return time.Duration(minuteMillis-now%minuteMillis) * time.Millisecond
	}
	c.all++
	c.each[network]++
	return 0
}

// Package upstream sends polite requests to other people's servers and classifies their
// failures.
//
//	Get, Ask ─► stopped? breaker? robots.txt? ─► attempt ─► slot ─► pace ─► GET
//	               │ at once: *Error                ▲                          │
//	               ▼                                └── backoff, Retry-After ◄─┤ Down, Throttled, Broken
//	         Stop ◄───────────── 403, challenge page ◄─────────────────────────┤
//	                                     Answer, Reply ◄── judged, cached ◄────┘
//
// Every host has a pace (a [Pacer] reserves times for all processes that share it), a
// number of concurrent requests, a time limit for an attempt including its body, and a
// size limit for the decompressed body. After a 403 or a challenge page, requests stop
// for hours. After a Retry-After they wait until that time. After 5 failed requests in a
// row they stop for a minute; then a single request tries the host. The client reads
// robots.txt once a day, according to RFC 9309. It ignores Crawl-delay, which is not part
// of the RFC, because the operator sets the pace.
//
// The circuit breaker is that of failsafe-go. Its retry policy is not used: here the wait
// is either full jitter with the caller's random numbers or the time that the host
// demands, and too long a wait ends the request. The loop for that is shorter than the
// listeners that would adapt the policy.
//
// The package refuses unknown hosts, methods other than GET, redirects to another host,
// addresses of private networks unless the host allows them, cookies, and posing as a
// browser. It does not know what the answers mean. Errors and log lines never contain a
// query string, because it may contain a key.
package upstream

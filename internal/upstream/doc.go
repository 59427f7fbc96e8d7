// Package upstream asks other people's servers politely, and says what became
// of it.
//
//	Get, Ask ─► stopped? breaker? robots.txt? ─► attempt ─► slot ─► moment ─► GET
//	               │ at once: *Error                ▲                          │
//	               ▼                                └── backoff, Retry-After ◄─┤ Down, Throttled, Broken
//	         Stop, Stopped ◄──── 403, challenge page ◄─────────────────────────┤
//	                                     Answer, Reply ◄── judged, cached ◄────┘
//
// Every host has its own pace (a [Pacer] gives out moments, for all processes
// that share it), so many requests at a time, one time limit for an attempt
// with its body, and one size limit for what it unpacks to. A host that answers
// 403 or with a challenge page is not asked again for hours; one that says
// Retry-After is left alone until then; after 5 requests in a row that failed
// it is left alone for a minute, and then one request tries. robots.txt is read
// once a day, by RFC 9309; Crawl-delay is not part of that and is not read: the
// pace is the operator's to set.
//
// The circuit breaker is failsafe-go's. Its retry policy is not used: the wait
// here is either full jitter, of the caller's random numbers, or what the host
// asked for, and too long a wait ends the request with the time to come back;
// that is a shorter loop than the listeners that would bend the policy to it.
//
// The package refuses hosts that it was not told of, anything but GET,
// redirects to another host, addresses of private networks unless the host may
// have one, cookies, and to look like a browser. It does not know what the
// answers mean. No error and no log line holds a query string: keys are there.
package upstream

// Package limiter compares the counter of both windows with what one would
// share between processes: a script in Redis.
package limiter

package wire

import "time"

const (
	millisPerDay = 24 * 60 * 60 * 1000
	minTimestamp = -62135596800000
	maxTimestamp = 253402300799999
)

// AppendTimestamp appends Unix milliseconds as a JSON string in the form of
// [AppendBareTimestamp].
func AppendTimestamp(dst []byte, ms int64) []byte {
	return append(AppendBareTimestamp(append(dst, '"'), ms), '"')
}

// AppendBareTimestamp appends Unix milliseconds as RFC 3339 in UTC, always
// with three digits of milliseconds, so that all timestamps have one length and sort
// as texts. A time outside the years 1 to 9999 is written as the nearest one
// inside. Formatting with package time takes ten times as long, and an answer holds
// thousands of timestamps.
func AppendBareTimestamp(dst []byte, ms int64) []byte {
	days, rest := splitTimestamp(ms)
	return appendClock(appendDate(dst, days), rest)
}

// AppendTimestampOrNull appends null for zero, which means "not known".
func AppendTimestampOrNull(dst []byte, ms int64) []byte {
	if ms == 0 {
		return append(dst, `null`...)
	}
	return AppendTimestamp(dst, ms)
}

// Calendar appends timestamps and caches the texts of their days, which makes a bulk
// request 9 to 15 % cheaper. The zero value is ready to use.
type Calendar [1 << calendarBits]struct {
	day  int64
	date [len(`"2006-01-02`)]byte // with the opening quote; zeros if there is none yet
}

const calendarBits = 8

// AppendTimestamp appends what the function of the same name appends.
func (c *Calendar) AppendTimestamp(dst []byte, ms int64) []byte {
	days, rest := splitTimestamp(ms)
	at := &c[days&(1<<calendarBits-1)]
	if at.day != days || at.date[0] == 0 {
		at.day = days
		appendDate(append(at.date[:0], '"'), days)
	}
	return append(appendClock(append(dst, at.date[:]...), rest), '"')
}

// splitTimestamp returns the days since 1970 and the milliseconds of the day.
func splitTimestamp(ms int64) (days, rest int64) {
	ms = min(max(ms, minTimestamp), maxTimestamp)
	days, rest = ms/millisPerDay, ms%millisPerDay
	if rest < 0 {
		days, rest = days-1, rest+millisPerDay
	}
	return days, rest
}

// appendDate appends days since 1970 as a civil date.
func appendDate(dst []byte, days int64) []byte {
	year, month, day := time.Unix(days*(millisPerDay/1000), 0).UTC().Date()
	dst = appendPair(appendPair(dst, year/100), year)
	dst = appendPair(append(dst, '-'), int(month))
	return appendPair(append(dst, '-'), day)
}

// appendClock appends the time of day, from T to Z.
func appendClock(dst []byte, rest int64) []byte {
	n := uint32(rest) // 32 bits divide faster
	seconds, millis := n/1000, n%1000
	hour, minute, second := seconds/3600, seconds/60%60, seconds%60
	return append(dst,
		'T', byte('0'+hour/10), byte('0'+hour%10),
		':', byte('0'+minute/10), byte('0'+minute%10),
		':', byte('0'+second/10), byte('0'+second%10),
		'.', byte('0'+millis/100), byte('0'+millis/10%10), byte('0'+millis%10), 'Z')
}

// appendPair appends the last two digits of n.
func appendPair(dst []byte, n int) []byte {
	return append(dst, byte('0'+n/10%10), byte('0'+n%10))
}

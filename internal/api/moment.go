package api

const (
	millisPerDay  = 24 * 60 * 60 * 1000
	daysTo1970    = 719468 // from 1 March of the year 0
	daysPerEra    = 146097 // 400 Gregorian years
	lastWritable  = 253402300799999
	firstWritable = -62135596800000
)

// appendMoment appends Unix milliseconds as a JSON string, see
// [appendBareMoment].
func appendMoment(dst []byte, ms int64) []byte {
	return append(appendBareMoment(append(dst, '"'), ms), '"')
}

// appendBareMoment appends Unix milliseconds as RFC 3339 in UTC, with three
// digits of milliseconds unless they are zero. A time package value would cost
// ten times as much, and an answer holds thousands. Moments outside the years 1
// to 9999 are written as the nearest one inside.
func appendBareMoment(dst []byte, ms int64) []byte {
	days, rest := splitMoment(ms)
	return appendClock(appendDate(dst, days), rest)
}

// splitMoment gives the days since 1970 and the milliseconds of the day.
func splitMoment(ms int64) (days, rest int64) {
	ms = min(max(ms, firstWritable), lastWritable)
	days, rest = ms/millisPerDay, ms%millisPerDay
	if rest < 0 {
		days, rest = days-1, rest+millisPerDay
	}
	return days, rest
}

// appendClock appends the time of a day, from T to Z.
func appendClock(dst []byte, rest int64) []byte {
	seconds, millis := uint32(rest/1000), uint32(rest%1000)
	t := [len("T15:04:05.000Z")]byte{'T', 0, 0, ':', 0, 0, ':', 0, 0, '.', byte('0' + millis/100), 0, 0, 'Z'}
	put2(t[1:3], seconds/3600)
	put2(t[4:6], seconds/60%60)
	put2(t[7:9], seconds%60)
	if millis == 0 {
		return append(append(dst, t[:9]...), 'Z')
	}
	put2(t[11:13], millis%100)
	return append(dst, t[:]...)
}

// calendar appends moments of which most fall on few days: it remembers the
// last day it has written. The zero value is ready.
type calendar struct {
	day  int64
	date [len(`"2006-01-02`)]byte // the quote before it, too; 0: none yet
}

// appendMoment appends what the function of this name does.
func (c *calendar) appendMoment(dst []byte, ms int64) []byte {
	days, rest := splitMoment(ms)
	if c.day != days || c.date[0] == 0 {
		c.day = days
		appendDate(append(c.date[:0], '"'), days)
	}
	return append(appendClock(append(dst, c.date[:]...), rest), '"')
}

// appendMomentOrNull appends null for zero, which means "not known".
func appendMomentOrNull(dst []byte, ms int64) []byte {
	if ms == 0 {
		return append(dst, `null`...)
	}
	return appendMoment(dst, ms)
}

// appendDate turns days since 1970 into a civil date. Years are counted from
// March, so that the leap day is the last of its year.
func appendDate(dst []byte, days int64) []byte {
	z := days + daysTo1970
	era := z / daysPerEra
	dayOfEra := z % daysPerEra
	yearOfEra := (dayOfEra - dayOfEra/1460 + dayOfEra/36524 - dayOfEra/146096) / 365
	dayOfYear := dayOfEra - (365*yearOfEra + yearOfEra/4 - yearOfEra/100)
	monthFromMarch := (5*dayOfYear + 2) / 153
	day := dayOfYear - (153*monthFromMarch+2)/5 + 1
	month, year := monthFromMarch+3, yearOfEra+era*400
	if month > 12 {
		month, year = month-12, year+1
	}
	dst = append2(append2(dst, year/100), year%100)
	dst = append2(append(dst, '-'), month)
	return append2(append(dst, '-'), day)
}

func append2(dst []byte, n int64) []byte {
	return append(dst, byte('0'+n/10%10), byte('0'+n%10))
}

// put2 writes a number below 100.
func put2(to []byte, n uint32) {
	to[0], to[1] = digitPairs[2*n], digitPairs[2*n+1]
}

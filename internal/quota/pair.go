package quota

// Pair is what a key and its owner have spent. A key without an owner has no use
// for Owner.
type Pair struct{ Key, Owner Spent }

// Take decides about a request at now, and returns what is spent after it and the
// decision. A request is charged to key and owner or to neither; see [Spent.Take].
func (p Pair) Take(l Limits, o Owner, now int64) (Pair, Decision) {
	if o.ID == "" {
		key, d := p.Key.Take(l, now)
		return Pair{Key: key, Owner: p.Owner}, d
	}
	owner, byOwner := p.Owner.take(o.Limits, now)
	if !byOwner.Allowed {
		return Pair{Key: p.Key, Owner: owner}, p.Key.Look(l, now).within(byOwner)
	}
	key, d := p.Key.Take(l, now)
	if !d.Allowed {
		return Pair{Key: key, Owner: p.Owner}, d.within(p.Owner.At(now).decide(o.Limits, now))
	}
	return Pair{Key: key, Owner: owner}, d.within(byOwner)
}

// Look decides about a request at now without charging it.
func (p Pair) Look(l Limits, o Owner, now int64) Decision {
	d := p.Key.Look(l, now)
	if o.ID == "" {
		return d
	}
	return d.within(p.Owner.At(now).decide(o.Limits, now))
}

// TakeShare is Take for one of several nodes that cannot ask what the others allow.
// p is what it knows that was spent before; granted is what it has allowed alone
// since then. Of what p leaves of each limit it may allow its share, rounded up, so
// that n nodes allow at most n-1 requests too many in a window that p has not seen.
// TakeShare returns granted after the request.
func (p Pair) TakeShare(granted Pair, l Limits, o Owner, nodes int, now int64) (Pair, Decision) {
	after, d := p.share(granted, l, o, nodes, now)
	if !d.Allowed {
		return granted, d
	}
	after.Key.MinuteUsed++
	after.Key.DayUsed++
	if o.ID != "" {
		after.Owner.MinuteUsed++
		after.Owner.DayUsed++
	}
	d.Minute.Used++
	d.Minute.Remaining--
	d.Day.Used++
	d.Day.Remaining--
	return after, d
}

// LookShare returns what TakeShare would decide, and charges nothing.
func (p Pair) LookShare(granted Pair, l Limits, o Owner, nodes int, now int64) Decision {
	_, d := p.share(granted, l, o, nodes, now)
	return d
}

// share is LookShare, and returns granted as of now.
func (p Pair) share(granted Pair, l Limits, o Owner, nodes int, now int64) (Pair, Decision) {
	var d, byOwner Decision
	granted.Key, d = p.Key.share(granted.Key, l.bounded(), nodes, now)
	if o.ID == "" {
		return granted, d
	}
	granted.Owner, byOwner = p.Owner.share(granted.Owner, o.Limits, nodes, now)
	return granted, d.within(byOwner)
}

func (s Spent) share(granted Spent, l Limits, nodes int, now int64) (Spent, Decision) {
	s, granted = s.At(now), granted.At(now)
	// One of them may be a little ahead of the clock.
	latest := max(now, s.Minute*minuteMillis, granted.Minute*minuteMillis)
	s, granted = s.At(latest), granted.At(latest)
	own := granted.decide(Limits{
		Minute: shareOf(l.Minute-s.MinuteUsed, nodes),
		Day:    shareOf(l.Day-s.DayUsed, nodes),
	}, now)
	d := s.Add(granted).decide(l, now)
	d.Allowed, d.Exhausted, d.RetryAfter = own.Allowed, own.Exhausted, own.RetryAfter
	d.Minute.Remaining, d.Day.Remaining = own.Minute.Remaining, own.Day.Remaining
	return granted, d
}

// shareOf returns the share of one of several nodes in a rest, rounded up.
func shareOf(rest, nodes int) int {
	nodes = max(nodes, 1)
	return (max(rest, 0) + nodes - 1) / nodes
}

// Max returns the later of two states, with the higher count of each window that
// they share.
func (s Spent) Max(other Spent) Spent {
	return s.join(other, func(a, b int) int { return max(a, b) })
}

// Add returns the later of two states, with the sum of both in each window that they
// share.
func (s Spent) Add(other Spent) Spent {
	return s.join(other, func(a, b int) int { return a + b })
}

// Sub returns the state without what another one counts in the windows that they share.
func (s Spent) Sub(other Spent) Spent {
	if s.Minute == other.Minute {
		s.MinuteUsed = max(s.MinuteUsed-other.MinuteUsed, 0)
	}
	if s.Minute/minutesPerDay == other.Minute/minutesPerDay {
		s.DayUsed = max(s.DayUsed-other.DayUsed, 0)
	}
	if s.DayUsed == 0 {
		return Spent{}
	}
	return s
}

func (s Spent) join(other Spent, counts func(a, b int) int) Spent {
	if s.Minute < other.Minute {
		s, other = other, s
	}
	if s.Minute == other.Minute {
		s.MinuteUsed = counts(s.MinuteUsed, other.MinuteUsed)
	}
	if s.Minute/minutesPerDay == other.Minute/minutesPerDay {
		s.DayUsed = counts(s.DayUsed, other.DayUsed)
	}
	return s
}

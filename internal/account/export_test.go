package account

// TurnTimeout and NoHash are for tests of Passwords.
const (
	TurnTimeout = turnTimeout
	NoHash      = noHash
)

// HoldTurn takes a turn as a hash would, and returns a function that ends it.
func (p *Passwords) HoldTurn() (release func()) {
	p.turns <- struct{}{}
	return func() { <-p.turns }
}

// Remembered returns how many windows each tally holds.
func (t *Throttle) Remembered() map[string]int {
	t.mu.Lock()
	defer t.mu.Unlock()
	counts := make(map[string]int)
	for name, one := range map[string]*tally{
		"known": t.known, "addresses": t.addresses, "pairs": t.pairs, "emails": t.emails, "others": t.others,
	} {
		counts[name] = len(one.windows)
		if one.order.Len() != len(one.windows) {
			counts[name] = -1
		}
	}
	return counts
}

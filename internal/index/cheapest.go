package index

// Cheapest returns the row with the lowest price in dollars, as it is at now (Unix
// milliseconds), by the rules of bulk prices (contract, section 6): trials never count, and
// prices tied to a subscription and doubtful ones only if nothing else does. If no price can
// be compared, it returns the first row with a price. Active regions come first, in
// configured order. It returns false if no row has a price.
func (v *View) Cheapest(r Rows, now int64) (Row, bool) {
	best, rank, lowest := Row{}, notPriced, int64(0)
	consider := func(row Row) {
		row.Pass(now)
		cents, ok := v.USD(&row)
		if at := rankOf(&row, ok); at < rank || at == rank && at < notCompared && cents < lowest {
			best, rank, lowest = row, at, cents
		}
	}
	for i := range v.Active() {
		if row, ok := r.InRegion(v.Active()[i].No); ok {
			consider(row)
		}
	}
	for i := range r.Len() {
		consider(r.At(i))
	}
	return best, rank != notPriced
}

// The ranks of rows between which Cheapest chooses, best first.
const (
	comparedFirst = iota
	comparedAtLast
	notCompared
	notPriced
)

// rankOf ranks a row for Cheapest.
func rankOf(r *Row, hasUSD bool) int {
	switch {
	case !r.Current.Known() && r.currentText == 0:
		return notPriced
	case !hasUSD || r.Trial:
		return notCompared
	case r.Subscription || r.Doubtful:
		return comparedAtLast
	}
	return comparedFirst
}

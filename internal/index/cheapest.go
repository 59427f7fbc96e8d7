package index

// Cheapest returns the row with the lowest price in dollars, as it is at now (Unix
// milliseconds), by the rules of bulk prices (contract, section 6): trials never count, and
// prices tied to a subscription and doubtful ones only if nothing else does. If no price can
// be compared, it returns the first row with a price. Active regions come first, in
// configured order. It returns false if no row has a price.
func (v *View) Cheapest(r Rows, now int64) (Row, bool) {
	best, lowest := Row{}, cost{rank: notPriced}
	consider := func(row Row) {
		row.Pass(now)
		if c := v.cost(&row); c.less(lowest) {
			best, lowest = row, c
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
	return best, lowest.rank != notPriced
}

// IsCheaper reports whether row a has a lower price than row b, by the rules of Cheapest.
func (v *View) IsCheaper(a, b *Row) bool { return v.cost(a).less(v.cost(b)) }

// cost is what a row is compared by.
type cost struct {
	rank  int
	cents int64
}

// The ranks of rows between which Cheapest chooses, best first.
const (
	comparedFirst = iota
	comparedAtLast
	notCompared
	notPriced
)

func (v *View) cost(r *Row) cost {
	cents, known := v.USD(r)
	switch {
	case !r.Current.Known() && r.currentText == 0:
		return cost{rank: notPriced}
	case !known || r.Trial:
		return cost{rank: notCompared}
	case r.Subscription || r.Doubtful:
		return cost{comparedAtLast, cents}
	}
	return cost{comparedFirst, cents}
}

func (c cost) less(d cost) bool { return c.rank < d.rank || c.rank == d.rank && c.cents < d.cents }

package history

// ImportCounts counts what an import of history did.
type ImportCounts struct {
	Added   int // steps
	Overlap int // steps that are not older than the first one that is stored; they are left out
	Unknown int // series of listings that are not stored
}

// Add returns the sum of two counts.
func (c ImportCounts) Add(o ImportCounts) ImportCounts {
	return ImportCounts{c.Added + o.Added, c.Overlap + o.Overlap, c.Unknown + o.Unknown}
}

// Prepend returns a series that begins with the steps that are older than its first one,
// and how many these are. It does not change its arguments.
func Prepend(series, older []Step) (all []Step, added int) {
	for _, s := range older {
		if len(series) > 0 && s.At >= series[0].At {
			break
		}
		all, added = Record(all, s), added+1
	}
	for _, s := range series {
		all = Record(all, s)
	}
	return all, added
}

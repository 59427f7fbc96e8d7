package sample

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/money"
)

const day = catalog.Millis(24 * time.Hour / time.Millisecond)

// The variety of a sample with past prices.
const publishers = 400

var (
	genres   = [...]string{"Action", "Adventure", "Arcade", "Board", "Card", "Educational", "Family", "Fighting", "Horror", "Music", "Party", "Platformer", "Puzzle", "Quiz", "Racing", "Role-Playing", "Shooter", "Simulation", "Sport", "Strategy"}
	percents = [...]int{10, 15, 20, 25, 30, 33, 40, 50, 50, 60, 67, 75, 80}
)

// vary draws publisher, genres and release date of a product, the same in all regions,
// and another discount for a discounted listing.
func (s *Sample) vary(p *Product, l *catalog.Listing, rng *rand.Rand) {
	own := rand.New(rand.NewPCG(s.Seed, uint64(p.Number)<<32))
	// Squared, so that some publishers have thousands of games.
	l.Prose.Publisher = fmt.Sprintf("Invented Works %d", int(own.Float64()*own.Float64()*publishers))
	l.Prose.Genres = nil
	for _, n := range own.Perm(len(genres))[:1+own.IntN(3)] {
		l.Prose.Genres = append(l.Prose.Genres, genres[n])
	}
	released := time.Date(2012, 1, 1+own.IntN(15*365), 0, 0, 0, 0, time.UTC)
	l.Prose.ReleaseDate = released.Format(time.DateOnly)
	if l.Price != nil && l.Price.DiscountPercent > 0 {
		l.Price.DiscountPercent = percents[rng.IntN(len(percents))]
		l.Price.Current = reduced(l.Price.Base, l.Price.DiscountPercent)
	}
}

func reduced(base money.Amount, percent int) money.Amount {
	return base * money.Amount(100-percent) / 100
}

// Series yields what the listings of the first n regions had shown before they were seen
// as in Listings: Steps-1 steps each, in variables that are used again. In each month all
// had a sale of a week, which began and ended for a whole region at once.
func (s *Sample) Series(n int) iter.Seq[history.Series] {
	places := regions(n)
	return func(yield func(history.Series) bool) {
		var series history.Series
		for i := range s.Products {
			for j := range places {
				p, r := &s.Products[i], &places[j]
				series.Key = catalog.Key{Platform: p.Platform, Region: r.code, Product: p.idIn(r)}
				series.Steps = s.appendPast(series.Steps[:0], p, r, j)
				if !yield(series) {
					return
				}
			}
		}
	}
}

// appendPast appends the steps of one listing, oldest first: in turn a reduced price and,
// once the sale was over, the full one.
func (s *Sample) appendPast(steps []history.Step, p *Product, r *region, n int) []history.Step {
	rng := rand.New(rand.NewPCG(s.Seed+1, uint64(p.Number*MaxRegions+n)))
	for back := s.Steps - 2; back >= 0; back-- {
		month := catalog.Millis(back / 2)
		base := fullPrice(p, r)
		if month >= 6 { // it was raised half a year ago
			base = base * 9 / 10
		}
		began := seen(p, n) - (month*30+10)*day
		ended := began - began%day + 7*day
		step := history.Step{At: began, State: history.Priced, Currency: r.currency, Base: base, EndsAt: ended}
		if step.Current = reduced(base, percents[rng.IntN(len(percents))]); back%2 == 1 { // the sale of the month before is over
			ended -= 30 * day
			step.At, step.Current, step.EndsAt = ended+(Observed()-seen(p, n))%(day/24), base, 0
		}
		steps = append(steps, step)
	}
	return steps
}

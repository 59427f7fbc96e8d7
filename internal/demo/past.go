package demo

import (
	"iter"
	"maps"
	"slices"
	"strconv"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/money"
)

// pastDays is how many days of past prices the sample has.
const pastDays = 730

// Past returns the past prices of the listings that Listings returns for the same time:
// two years with seasonal sales and, in some of them, what else happens in stores, so that
// every state, low and verdict can be seen.
func (c *Catalog) Past(now catalog.Millis) iter.Seq[history.Series] {
	return func(yield func(history.Series) bool) {
		for l, o := range c.offers(now) {
			if steps := o.past(&l); len(steps) > 0 && !yield(history.Series{Key: l.Key, Steps: steps}) {
				return
			}
		}
	}
}

// event is what happened to a price in a period.
type event struct {
	from, until catalog.Millis
	show        func(*history.Step)
	unseen      bool // the store was not read when it ended
}

// sales are the seasonal sales of a year.
var sales = [...]struct {
	month        time.Month
	day, days    int
	lessDiscount int // percent below that of the present sale
}{
	{time.January, 2, 10, 20}, {time.March, 12, 14, 25}, {time.June, 20, 17, 10}, {time.September, 9, 12, 15}, {time.December, 15, 15, 5},
}

// past returns the steps before the present one, oldest first; none for a price that is
// no number or that never changes.
func (o offer) past(l *catalog.Listing) []history.Step {
	if !changes(l.Price) {
		return nil
	}
	present := history.StepOf(l.ObservedAt, l.Price)
	begin := max(o.now-pastDays*day+minute*catalog.Millis(o.chance("begin", 1440)), o.releasedAt())
	if o.game.Popularity == 0 && o.chance("watched", 8) == 0 { // too late for the reference of a discount
		begin = o.now - 20*day
	}
	saleBegan := o.now - day*catalog.Millis(2+hash("began", o.game.Name)%5) - minute*catalog.Millis(o.chance("began", 300))
	events := o.events(begin, saleBegan)
	times := map[catalog.Millis]bool{begin: true}
	for _, e := range events {
		times[e.from] = true
		if !e.unseen {
			times[e.until] = true
		}
	}
	if present.Current < present.Base {
		events = append(events, event{from: saleBegan, until: o.now, show: func(s *history.Step) {
			*s = present
		}})
		times[saleBegan] = true
	}
	var steps []history.Step
	for _, at := range slices.Sorted(maps.Keys(times)) {
		if at < begin || at >= l.ObservedAt {
			continue
		}
		s := history.Step{State: history.Priced, Currency: present.Currency, Base: present.Base, Current: present.Base}
		for _, e := range events {
			if e.from <= at && at < e.until {
				e.show(&s)
			}
		}
		s.At = at
		steps = history.Record(steps, s)
	}
	return steps
}

// changes reports whether a price is one that changes over time.
func changes(p *catalog.Price) bool {
	return p != nil && p.Base > 0 && !p.Trial && p.Source != catalog.SourceDoubtful
}

// releasedAt returns the release of the game.
func (o offer) releasedAt() catalog.Millis {
	at, err := time.Parse(time.DateOnly, o.game.Released)
	if err != nil {
		return 0
	}
	return catalog.MillisOf(at)
}

// events returns what happened from begin until the present sale began. Of events at the
// same time the last one counts.
func (o offer) events(begin, saleBegan catalog.Millis) []event {
	ago := func(days, hours uint64) catalog.Millis {
		return o.now - o.now%day - day*catalog.Millis(days) + 60*minute*catalog.Millis(hours)
	}
	less := func(percent int) func(*history.Step) {
		return func(s *history.Step) { s.Current = o.reduced(s.Base, percent) }
	}
	var events []event
	earlier := o.market.list(o.game, o.Cents*4/5, o.platform) // the base was lower
	switch o.chance("base", 9) {
	case 0: // for most of the time
		events = append(events, event{from: begin, until: ago(300+o.chance("raised", 100), 8), show: func(s *history.Step) { s.Base, s.Current = earlier, earlier }})
	case 1: // until the present sale came near
		events = append(events, event{from: begin, until: saleBegan - 12*day, show: func(s *history.Step) { s.Base, s.Current = earlier, earlier }})
	}
	events = append(events, o.seasonalSales(saleBegan)...)
	switch o.chance("event", 40) {
	case 0: // left the store
		events = append(events, event{from: ago(310, 9), until: ago(262, 15), show: func(s *history.Step) { *s = history.StepGone(0) }})
	case 1: // a wrong price for nine minutes
		events = append(events, event{from: ago(200, 4), until: ago(200, 4) + 9*minute, show: less(99)})
	case 2: // a wrong price that the collector marked
		events = append(events, event{from: ago(140, 4), until: ago(139, 16), show: func(s *history.Step) { s.Current, s.Doubtful = o.reduced(s.Base, 99), true }})
	case 3: // as cheap as now shortly before the present sale
		events = append(events, event{from: saleBegan - 15*day, until: saleBegan - 8*day, show: less(90)})
	case 4: // only subscribers could buy
		events = append(events, event{from: ago(430, 10), until: ago(420, 10), show: func(s *history.Step) { s.Current, s.Subscription = o.reduced(s.Base, 50), true }})
	}
	if o.platform == catalog.PCStore && hash("giveaway", o.game.Name)%12 == 0 {
		end := ago(340, 16)
		events = append(events, event{from: ago(347, 16), until: end, show: func(s *history.Step) { s.Current, s.EndsAt = 0, end }})
	}
	return events
}

// seasonalSales returns the sales that ended 35 days or more before the present one. The
// same games are reduced in all regions. Two thirds of the games have been cheaper than in
// the present sale.
func (o offer) seasonalSales(saleBegan catalog.Millis) []event {
	most := o.Off
	if most == 0 {
		most = 25 + 5*int(hash("most", o.game.Name)%8)
	}
	if hash("low", o.game.Name)%3 != 0 {
		most = min(90, most+20)
	}
	var events []event
	for year := o.now.Time().Year() - 2; year <= o.now.Time().Year(); year++ {
		for i, sale := range sales {
			from := catalog.MillisOf(time.Date(year, sale.month, sale.day, 16, 0, 0, 0, time.UTC))
			end := from + day*catalog.Millis(sale.days)
			name := strconv.Itoa(year) + strconv.Itoa(i)
			if end > saleBegan-35*day || hash(name, o.game.Name)%3 == 0 {
				continue
			}
			from += minute * catalog.Millis(o.chance("from"+name, 40)) // when the store was read
			reduce := func(percent int) func(*history.Step) {
				return func(s *history.Step) { s.Current, s.EndsAt = o.reduced(s.Base, percent), end }
			}
			percent := max(10, most-sale.lessDiscount)
			events = append(events, event{from: from, until: end, show: reduce(percent), unseen: o.chance("unseen"+name, 20) == 0})
			if hash("deeper", name, o.game.Name)%9 == 0 {
				events = append(events, event{from: from + day*catalog.Millis(sale.days/2), until: end, show: reduce(min(90, percent+10)), unseen: true})
			}
		}
	}
	return events
}

// PastRates returns a table of exchange rates for each week before now, oldest first: the
// currencies that lose value were worth more.
func PastRates(now catalog.Millis) ([]money.Rates, error) {
	yearlyLoss := map[money.Currency]float64{"UAH": 0.04, "TRY": 0.22, "INR": 0.03, "ARS": 0.30, "KZT": 0.05, "EGP": 0.08}
	var tables []money.Rates
	for weeks := pastDays/7 + 1; weeks > 0; weeks-- {
		rates := maps.Clone(sampleRates)
		for c, loss := range yearlyLoss {
			today, err := strconv.ParseFloat(rates[c], 64)
			if err != nil {
				return nil, err
			}
			rates[c] = strconv.FormatFloat(today*(1-loss*float64(weeks)/52), 'f', 3, 64)
		}
		table, err := money.NewRates(money.USD, rates, int64(now-now%(60*minute))-int64(7*day)*int64(weeks))
		if err != nil {
			return nil, err
		}
		tables = append(tables, table)
	}
	return tables, nil
}

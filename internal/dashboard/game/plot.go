package game

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"gamedex/internal/dashboard/chart"
	"gamedex/internal/dashboard/explore"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/money"
)

type plotView struct {
	Label  string // what it shows, for those who do not see it
	Money  string // a sentence with the currency
	Gutter string // class: the room for the texts of the levels
	Levels []axisText
	Ticks  []axisText
	Marks  []mark // in the order in which they are drawn
	Legend []mark // without paths

	geometry chart.Plot
}

type axisText struct {
	At     string // position in percent
	Text   string
	Anchor string // of SVG: start, middle or end
	Minor  bool
}

type mark struct {
	Class string
	Path  string
	Text  string // in the legend
}

// lineClasses are the classes of the lines of several countries; each has its own dashes.
var lineClasses = [maxLines]string{"line", "line series-2", "line series-3", "line series-4", "line series-5", "line series-6"}

// newPlot draws the steps of the period from since until now. It draws the lows, the
// discounts and the price without them only for a single country in its own currency.
func newPlot(v *web.Visit, list []series, since int64) *plotView {
	plot := &plotView{}
	detailed := len(list) == 1 && !list[0].usd
	highest := money.Amount(0)
	for i := range list {
		for j := range list[i].steps {
			step := &list[i].steps[j]
			a := list[i].amount(step)
			highest = max(highest, a)
			if detailed && a != money.None && step.Base != nil {
				highest = max(highest, money.Amount(*step.Base))
			}
		}
	}
	plot.geometry = chart.NewPlot(since, v.Now(), highest)
	currency := money.USD
	if !list[0].usd {
		currency = list[0].currency
	}
	plot.Money = v.T("card.chart.in", string(currency))
	plot.addAxes(v, currency)
	if detailed {
		plot.Marks = plot.details(v, &list[0], since)
	}
	details := len(plot.Marks)
	for i := range list {
		plot.Marks = append(plot.Marks, plot.lines(v, &list[i], i, len(list) > 1)...)
	}
	for _, m := range slices.Concat(plot.Marks[details:], plot.Marks[:details]) {
		if m.Text != "" {
			plot.Legend = append(plot.Legend, m)
		}
	}
	plot.describe(v, list, since, currency)
	return plot
}

// place returns the position of a price in the chart; y is -1 without an amount.
func (p *plotView) place(at int64, a money.Amount) (x, y int) {
	if a == money.None {
		return p.geometry.X(at), -1
	}
	return p.geometry.X(at), p.geometry.Y(a)
}

func (p *plotView) addAxes(v *web.Visit, currency money.Currency) {
	longest, whole := 0, true
	for _, l := range p.geometry.Levels() {
		whole = whole && l.Amount%100 == 0
	}
	for _, l := range p.geometry.Levels() {
		text := v.Amount(currency, l.Amount)
		if whole {
			text = withoutDecimals(text)
		}
		longest = max(longest, utf8.RuneCountInString(text))
		p.Levels = append(p.Levels, axisText{At: l.Y, Text: text})
	}
	switch {
	case longest <= 5:
		p.Gutter = "gutter-1"
	case longest <= 8:
		p.Gutter = "gutter-2"
	default:
		p.Gutter = "gutter-3"
	}
	for i, m := range p.geometry.TimeTicks() {
		p.Ticks = append(p.Ticks, axisText{m.X, tickText(v, m, i == 0), m.Anchor, m.Minor})
	}
}

// withoutDecimals removes ",00" or ".00" from a formatted amount.
func withoutDecimals(text string) string {
	at := max(strings.LastIndex(text, ",00"), strings.LastIndex(text, ".00"))
	if at < 0 || at+3 < len(text) && text[at+3] >= '0' && text[at+3] <= '9' {
		return text
	}
	return text[:at] + text[at+3:]
}

// tickText returns a time as short as its neighbours allow.
func tickText(v *web.Visit, m chart.TimeTick, first bool) string {
	at := time.UnixMilli(m.At).UTC()
	month := v.Month(at.Month())
	switch m.Unit {
	case chart.Hour:
		return at.Format("15:04")
	case chart.Day:
		return at.Format("2 ") + month
	case chart.Month:
		if first || at.Month() == time.January {
			return month + at.Format(" 2006")
		}
		return month
	}
	return at.Format("2006")
}

// details returns what is drawn below the line of a single country: its discounts, the
// price without them, the lows, and the reference of the present discount.
func (p *plotView) details(v *web.Visit, s *series, since int64) []mark {
	marks := p.discounts(v, s)
	l := s.row.price.Lows
	if l == nil {
		return marks
	}
	level := func(class, name string, from, a int64) bool {
		m := mark{class, p.geometry.Level(from, v.Now(), money.Amount(a)), name + ": " + v.Amount(s.currency, money.Amount(a))}
		if m.Path != "" {
			marks = append(marks, m)
		}
		return m.Path != ""
	}
	var last int64
	for _, w := range l.Windows(v.Now()) {
		from := since
		if w.Days > 0 {
			from = v.Now() - int64(w.Days)*explore.MillisPerDay
		}
		// What the longer window says is not said again.
		if w.Low != nil && w.Low.Current != last && level(w.Line, w.Title(v), from, w.Low.Current) {
			last = w.Low.Current
			marks = append(marks, mark{Class: "point", Path: p.points(s, w.Low.Current)})
		}
	}
	if d := l.Real; d != nil && d.Reference != nil {
		level("reference", v.T("card.legend.reference"), int64(d.Since)-30*explore.MillisPerDay, *d.Reference)
	}
	return marks
}

// points returns the path of dots where an amount began to stand for everybody.
func (p *plotView) points(s *series, low int64) string {
	var dots strings.Builder
	for i := range s.steps {
		step := &s.steps[i]
		if a := s.amount(step); step.forAll() && a == money.Amount(low) {
			fmt.Fprintf(&dots, "M%d %dh0", p.geometry.X(int64(step.At)), p.geometry.Y(a))
		}
	}
	return dots.String()
}

// discounts returns the areas of the discounts and the line of the price without them; no
// marks if there was no discount.
func (p *plotView) discounts(v *web.Visit, s *series) []mark {
	steps := s.thin(drawnSteps)
	var areas strings.Builder
	var base []chart.Step
	for i := range steps {
		step := &steps[i]
		b := chart.Step{At: int64(step.At), Amount: money.None}
		if a := s.amount(step); a != money.None && step.Base != nil && step.forAll() {
			b.Amount = money.Amount(*step.Base)
			until := v.Now()
			if i+1 < len(steps) {
				until = int64(steps[i+1].At)
			}
			if step.Off > 0 {
				areas.WriteString(p.geometry.Box(b.At, until, a, b.Amount))
			}
		}
		base = append(base, b)
	}
	if areas.Len() == 0 {
		return nil
	}
	return []mark{{"reduced", areas.String(), v.T("card.legend.sale")}, {"base", p.geometry.Line(base), v.T("card.legend.base")}}
}

// thin returns at most limit steps.
func (s *series) thin(limit int) []pastStep {
	return chart.Thin(s.steps, limit, func(step pastStep) money.Amount { return s.amount(&step) })
}

// lines returns the line of a country, number i: prices for everybody, and apart from them
// those for some, and doubtful ones.
func (p *plotView) lines(v *web.Visit, s *series, i int, several bool) []mark {
	var line, aside []chart.Step
	for _, step := range s.thin(drawnSteps) {
		price, gap := chart.Step{At: int64(step.At), Amount: s.amount(&step)}, chart.Step{At: int64(step.At), Amount: money.None}
		if !step.forAll() {
			price, gap = gap, price
		}
		line, aside = append(line, price), append(aside, gap)
	}
	text, textAside := v.T("card.legend.price"), v.T("card.legend.aside")
	if several {
		text, textAside = strings.TrimSpace(s.row.Region+" "+v.Amount(money.USD, s.row.dollars)), ""
	}
	marks := []mark{{lineClasses[i], p.geometry.Line(line), text}}
	if path := p.geometry.Line(aside); path != "" {
		marks = append(marks, mark{"aside " + lineClasses[i], path, textAside})
	}
	return marks
}

func (p *plotView) describe(v *web.Visit, list []series, since int64, currency money.Currency) {
	lowest, highest := money.None, money.None
	var names []string
	for i := range list {
		names = append(names, list[i].row.Region)
		for j := range list[i].steps {
			a := list[i].amount(&list[i].steps[j])
			if a == money.None {
				continue
			}
			if lowest == money.None {
				lowest = a
			}
			lowest, highest = min(lowest, a), max(highest, a)
		}
	}
	p.Label = v.T("card.chart", strings.Join(names, ", "), v.Day(since), v.Day(v.Now()), v.Amount(currency, lowest), v.Amount(currency, highest))
}

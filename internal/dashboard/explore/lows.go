package explore

// The lows of a region price, as the API answers them. A pointer is nil for null.
type (
	// Lows is what past prices say about a price in one region.
	Lows struct {
		AllTime      *Low   `json:"allTime"`
		Year         *Low   `json:"year"`
		Days90       *Low   `json:"days90"`
		Meets        string `json:"meets"` // "" for null
		WatchedSince Moment `json:"watchedSince"`
		Free         *struct {
			LastAt Moment `json:"lastAt"`
		} `json:"free"`
		Real *Discount `json:"real"`
	}

	// Low is the lowest price of a window, in hundredths. LastAt is 0 while it is in force.
	Low struct {
		Current int64  `json:"current"`
		FirstAt Moment `json:"firstAt"`
		LastAt  Moment `json:"lastAt"`
		Times   int    `json:"times"`
	}

	// Discount is what past prices say about the present discount.
	Discount struct {
		Reference      *int64 `json:"reference"`
		Days           int    `json:"days"`
		ClaimedPercent int    `json:"claimedPercent"`
		RealPercent    int    `json:"realPercent"`
		Verdict        string `json:"verdict"`
		Since          Moment `json:"since"`
	}
)

// Window is a period that a low covers.
type Window struct {
	Name  string // in the API
	Days  int    // 0: all time
	Badge string // key: the price is its low
	Lead  string // key: the same as a sentence
	Fact  string // key: the name of the low
	Line  string // class of its line in the chart
	Low   func(*Lows) *Low
}

// Windows are the windows of lows, the longest first. They must not be changed.
var Windows = [...]Window{
	{"allTime", 0, "price.low.all", "card.meets.all", "card.low.all", "low", func(l *Lows) *Low { return l.AllTime }},
	{"year", 365, "price.low.year", "card.meets.year", "card.low.year", "low low-year", func(l *Lows) *Low { return l.Year }},
	{"days90", 90, "price.low.days", "card.meets.days", "card.low.days", "low low-days", func(l *Lows) *Low { return l.Days90 }},
}

// Met returns the window whose low the present price is. It returns nil if there is none, or
// if the price was never another one in that window: such a low says nothing.
func (l *Lows) Met(now int64) *Window {
	for i := range Windows {
		w := &Windows[i]
		low := w.Low(l)
		if w.Name != l.Meets || low == nil {
			continue
		}
		from := int64(l.WatchedSince)
		if w.Days > 0 {
			from = max(from, now-int64(w.Days)*MillisPerDay)
		}
		if low.Times > 1 || int64(low.FirstAt) > from {
			return w
		}
	}
	return nil
}

// MillisPerDay is the number of milliseconds in a day.
const MillisPerDay = 24 * 60 * 60 * 1000

// Badges returns the badge of a price that is a low at present; none if it is not one.
func (l *Lows) Badges(now int64) []Badge {
	if l != nil {
		if w := l.Met(now); w != nil {
			return []Badge{{w.Badge, "good"}}
		}
	}
	return nil
}

package explore

// The lows of a region price, as the API answers them. A pointer is nil for null.
type (
	lows struct {
		AllTime      *low   `json:"allTime"`
		Year         *low   `json:"year"`
		Days90       *low   `json:"days90"`
		Meets        string `json:"meets"` // "" for null
		WatchedSince moment `json:"watchedSince"`
		Free         *struct {
			LastAt moment `json:"lastAt"`
		} `json:"free"`
		Real *discount `json:"real"`
	}

	low struct {
		Current int64  `json:"current"`
		FirstAt moment `json:"firstAt"`
		LastAt  moment `json:"lastAt"`
		Times   int    `json:"times"`
	}

	discount struct {
		Reference      *int64 `json:"reference"`
		Days           int    `json:"days"`
		ClaimedPercent int    `json:"claimedPercent"`
		RealPercent    int    `json:"realPercent"`
		Verdict        string `json:"verdict"`
		Since          moment `json:"since"`
	}
)

// lowBadges are the words about a price that reaches the low of a window.
var lowBadges = map[string]badge{
	"allTime": {"price.low.all", "good"},
	"year":    {"price.low.year", "good"},
	"days90":  {"price.low.days", "good"},
}

// badges returns what past prices say of a discounted price: nothing if no higher price
// was ever seen.
func (l *lows) badges() []badge {
	if l == nil || l.AllTime == nil || l.AllTime.FirstAt <= l.WatchedSince && l.AllTime.Times < 2 {
		return nil
	}
	if b, ok := lowBadges[l.Meets]; ok {
		return []badge{b}
	}
	return nil
}

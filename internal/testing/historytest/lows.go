package historytest

import (
	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/money"
)

// Lows is what answers of the API show of a summary as `lows`.
type Lows struct {
	AllTime      *Low    `json:"allTime"`
	Year         *Low    `json:"year"`
	Days90       *Low    `json:"days90"`
	Meets        *string `json:"meets"`
	Free         *Free   `json:"free"`
	WatchedSince string  `json:"watchedSince"`
	Real         *Real   `json:"real"`
}

// Low is a member of Lows.
type Low struct {
	Current int64   `json:"current"`
	FirstAt string  `json:"firstAt"`
	LastAt  *string `json:"lastAt"`
	Times   int     `json:"times"`
}

// Free is a member of Lows.
type Free struct {
	LastAt *string `json:"lastAt"`
}

// Real is a member of Lows.
type Real struct {
	Reference      *int64 `json:"reference"`
	Days           int    `json:"days"`
	ClaimedPercent int    `json:"claimedPercent"`
	RealPercent    int    `json:"realPercent"`
	Verdict        string `json:"verdict"`
	Since          string `json:"since"`
}

// Shown returns what answers show of a summary; nil is null.
func Shown(s *history.Summary) *Lows {
	if s.AllTime.Times == 0 {
		return nil
	}
	out := &Lows{AllTime: shownLow(s.AllTime), Year: shownLow(s.Year), Days90: shownLow(s.Days90), WatchedSince: text(s.WatchedSince)}
	if name := map[history.Window]string{history.Days90: "days90", history.Year: "year", history.AllTime: "allTime"}[s.Meets]; name != "" {
		out.Meets = &name
	}
	if s.Free.Ever {
		out.Free = &Free{timeText(s.Free.LastAt)}
	}
	if r := s.Reduction; r.Since != 0 {
		out.Real = &Real{Days: r.Days, ClaimedPercent: r.ClaimedPercent, RealPercent: r.RealPercent, Since: text(r.Since),
			Verdict: []string{"unknown", "none", "smaller", "real"}[r.Verdict]}
		if r.Reference != money.None {
			out.Real.Reference = (*int64)(&r.Reference)
		}
	}
	return out
}

func shownLow(l history.Low) *Low {
	if l.Times == 0 {
		return nil
	}
	return &Low{int64(l.Current), text(l.FirstAt), timeText(l.LastAt), l.Times}
}

// text returns a time as answers write it.
func text(m catalog.Millis) string { return m.Time().Format("2006-01-02T15:04:05.000Z") }

// timeText returns the text of a time; nil for 0.
func timeText(m catalog.Millis) *string {
	if m == 0 {
		return nil
	}
	at := text(m)
	return &at
}

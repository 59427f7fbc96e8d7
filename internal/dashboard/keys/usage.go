package keys

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/dashboard/chart"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/quota"
)

// How far back usage is shown, including the current hour and day (UTC).
const (
	usageHours = 24
	usageDays  = 30
)

const hourMillis = 3_600_000

type amount struct {
	Answered int64 // successfully
	Refused  int64 // 429
	Failed   int64 // with another error
}

func (a amount) sum() int64 { return a.Answered + a.Refused + a.Failed }

func (a amount) plus(b amount) amount {
	return amount{a.Answered + b.Answered, a.Refused + b.Refused, a.Failed + b.Failed}
}

// usageSums are requests by hour and by day, the current one last, and by route over all days.
type usageSums struct {
	hours  [usageHours]amount
	days   [usageDays]amount
	routes map[string]amount
}

// firstHour returns the first hour of the first day that is shown.
func firstHour(now int64) int64 { return (now/hourMillis/24 - usageDays + 1) * 24 }

// sumUsage sums the rows since firstHour. Rows later than now, from a node whose
// clock is ahead, count as now.
func sumUsage(rows []quota.UsageRow, now int64) usageSums {
	u := usageSums{routes: make(map[string]amount)}
	first, thisHour := firstHour(now), now/hourMillis
	for _, row := range rows {
		hour := min(row.Hour, thisHour)
		if hour < first {
			continue
		}
		a, day := amount{Failed: row.Count}, (hour-first)/24
		switch row.Outcome {
		case quota.OutcomeOK:
			a = amount{Answered: row.Count}
		case quota.OutcomeRefused:
			a = amount{Refused: row.Count}
		}
		u.days[day] = u.days[day].plus(a)
		u.routes[row.Route] = u.routes[row.Route].plus(a)
		if age := thisHour - hour; age < usageHours {
			u.hours[usageHours-1-age] = u.hours[usageHours-1-age].plus(a)
		}
	}
	return u
}

type usagePage struct {
	Keys  []account.Key
	Key   string // the id of the chosen key; "" all
	Usage UsageView
}

func (p *Pages) usage(v *web.Visit) error {
	keys, err := p.Repository.KeysOf(v.Context(), v.User.ID)
	if err != nil {
		return web.DatabaseError(err)
	}
	page := usagePage{Key: v.Form("key")}
	revoked := 0
	for _, k := range keys {
		if k.RevokedAt != 0 {
			revoked++
		}
		if k.RevokedAt == 0 || revoked <= maxRevoked || k.ID == page.Key {
			page.Keys = append(page.Keys, k)
		}
	}
	if page.Key != "" {
		keys = slices.DeleteFunc(keys, func(k account.Key) bool { return k.ID != page.Key })
		if len(keys) == 0 {
			return web.NotFound()
		}
	}
	if page.Usage, err = p.Usage(v, keys); err != nil {
		return err
	}
	return v.Render(http.StatusOK, "usage", page)
}

// UsageView is what the part "usage" shows of one or more keys.
type UsageView struct {
	Windows []windowLine
	Owner   *OwnerUsedUp
	Several bool // more than one key
	Empty   bool // no requests at all
	Curl    string
	Charts  []usageChart
	Routes  []usageLine
}

// windowLine is what is used of one key's limits now.
type windowLine struct {
	ID, Name    string
	Minute, Day Gauge
}

type usageChart struct {
	ID      string // of the element: "hours"
	Heading string // key
	Note    string // key
	Chart   chart.Columns
	Ticks   []usageTick
	Rows    []usageLine // those with requests, the latest first
	Sum     amount
	Total   int64
	Highest usageLine // the one with the most
}

// usageTick is an abbreviated number beside the chart: "20k".
type usageTick struct {
	Y    float64
	Text string
}

// usageLine is an hour, a day or a route.
type usageLine struct {
	Label  string
	Amount amount
	Total  int64
	Share  int // of a route, of all requests in percent, rounded
}

// Usage returns the usage of keys, and what is used of their limits now. The
// caller checks that the visitor may see the keys.
func (p *Pages) Usage(v *web.Visit, keys []account.Key) (UsageView, error) {
	now := v.Now()
	ids := make([]string, len(keys))
	for i, k := range keys {
		ids[i] = k.ID
	}
	_ = p.Flush(v.Context()) // the flusher logs its failures
	rows, err := p.Repository.UsageByHour(v.Context(), ids, firstHour(now))
	if err != nil {
		return UsageView{}, web.DatabaseError(err)
	}
	u := sumUsage(rows, now)
	view := UsageView{Several: len(keys) > 1, Curl: p.site.Curl("gdx_…", accountPath)}
	for _, k := range account.Unrevoked(keys) {
		minute, day, owner := p.gauges(v, k)
		view.Owner = cmp.Or(view.Owner, owner)
		view.Windows = append(view.Windows, windowLine{k.ID, k.Name, minute, day})
	}
	view.Routes = usageRoutesOf(u.routes)
	if view.Empty = len(view.Routes) == 0; view.Empty {
		return view, nil
	}
	view.Charts = []usageChart{hoursChart(v, u.hours, now), daysChart(v, u.days, now)}
	return view, nil
}

func usageRoutesOf(routes map[string]amount) (all []usageLine) {
	var total int64
	for _, route := range slices.Sorted(maps.Keys(routes)) {
		a := routes[route]
		if n := a.sum(); n > 0 {
			all, total = append(all, usageLine{Label: route, Amount: a, Total: n}), total+n
		}
	}
	for i := range all {
		all[i].Share = int(float64(all[i].Total)/float64(total)*100 + .5)
	}
	slices.SortStableFunc(all, func(a, b usageLine) int { return cmp.Compare(b.Total, a.Total) })
	return all
}

// hoursChart labels every third hour (UTC), or every sixth in little room.
func hoursChart(v *web.Visit, hours [usageHours]amount, now int64) usageChart {
	first := now/hourMillis - usageHours + 1
	values := make([]chart.Value, usageHours)
	for i := range values {
		at := time.UnixMilli((first + int64(i)) * hourMillis).UTC()
		values[i].Title = v.Day(at.UnixMilli()) + ", " + at.Format("15:04")
		if h := at.Hour(); h%3 == 0 {
			values[i].Label, values[i].Minor = at.Format("15:04"), h%6 != 0
		}
	}
	return fillChart(v, usageChart{ID: "hours", Heading: "usage.hours", Note: "usage.hours-note"}, values, hours[:])
}

// daysChart labels every third day back from yesterday, or every twelfth in little room.
func daysChart(v *web.Visit, days [usageDays]amount, now int64) usageChart {
	today := now / hourMillis / 24
	values := make([]chart.Value, usageDays)
	for i := range values {
		age := usageDays - 1 - i
		at := time.Unix((today-int64(age))*24*3600, 0).UTC()
		values[i].Title = v.Day(at.UnixMilli())
		if age%3 == 1 {
			values[i].Label, values[i].Minor = strconv.Itoa(at.Day())+" "+v.Month(at.Month()), age%12 != 1
		}
	}
	return fillChart(v, usageChart{ID: "days", Heading: "usage.days", Note: "usage.days-note"}, values, days[:])
}

// fillChart adds columns and a table, whose labels are the titles of the columns.
func fillChart(v *web.Visit, c usageChart, columns []chart.Value, amounts []amount) usageChart {
	for i, a := range amounts {
		line := usageLine{Label: columns[i].Title, Amount: a, Total: a.sum()}
		if line.Total > 0 {
			c.Rows = append(c.Rows, line)
			c.Sum = c.Sum.plus(a)
		}
		if line.Total > c.Highest.Total {
			c.Highest = line
		}
		columns[i].Title = v.T("usage.column", line.Label, v.Number(a.Answered), v.Number(a.Refused), v.Number(a.Failed))
		// The style has a class for each kind.
		columns[i].Counts = []chart.Count{{Kind: "answered", N: a.Answered}, {Kind: "refused", N: a.Refused}, {Kind: "failed", N: a.Failed}}
	}
	slices.Reverse(c.Rows)
	c.Total = c.Sum.sum()
	c.Chart = chart.DrawColumns(columns)
	unit := map[int64]string{1e3: "usage.thousands", 1e6: "usage.millions", 1e9: "usage.billions"}[c.Chart.Unit]
	for _, t := range c.Chart.Ticks {
		text := v.Number(t.Number / c.Chart.Unit)
		if unit != "" {
			text = v.T(unit, text)
		}
		c.Ticks = append(c.Ticks, usageTick{t.Y, text})
	}
	return c
}

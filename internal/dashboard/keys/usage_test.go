package keys

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/quota"
)

func TestSumUsage(t *testing.T) {
	now := time.Date(2026, 3, 10, 5, 30, 0, 0, time.UTC).UnixMilli()
	hour := now / hourMillis
	row := func(age int64, route string, outcome quota.Outcome, count int64) quota.UsageRow {
		return quota.UsageRow{Hour: hour - age, Route: route, Outcome: outcome, Count: count}
	}
	for _, tt := range []struct {
		name  string
		rows  []quota.UsageRow
		hours map[int]amount
		days  map[int]amount
	}{
		{"nothing", nil, nil, nil},
		{"outcomes", []quota.UsageRow{row(0, "/a", quota.OutcomeOK, 1), row(0, "/a", quota.OutcomeRefused, 2),
			row(0, "/a", quota.OutcomeClientError, 3), row(0, "/b", quota.OutcomeServerError, 4)},
			map[int]amount{23: {1, 2, 7}}, map[int]amount{29: {1, 2, 7}}},
		{"yesterday's last hour", []quota.UsageRow{row(6, "/a", quota.OutcomeOK, 1)}, map[int]amount{17: {Answered: 1}}, map[int]amount{28: {Answered: 1}}},
		{"the first hour", []quota.UsageRow{row(23, "/a", quota.OutcomeOK, 1)}, map[int]amount{0: {Answered: 1}}, map[int]amount{28: {Answered: 1}}},
		{"the hour before it", []quota.UsageRow{row(24, "/a", quota.OutcomeOK, 1)}, nil, map[int]amount{28: {Answered: 1}}},
		{"the first day", []quota.UsageRow{row(29*24+5, "/a", quota.OutcomeOK, 1)}, nil, map[int]amount{0: {Answered: 1}}},
		{"the day before it", []quota.UsageRow{row(29*24+6, "/a", quota.OutcomeOK, 1)}, nil, nil},
		{"another node's clock is ahead", []quota.UsageRow{row(-1, "/a", quota.OutcomeOK, 1), row(-20, "/a", quota.OutcomeOK, 1)},
			map[int]amount{23: {Answered: 2}}, map[int]amount{29: {Answered: 2}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := sumUsage(tt.rows, now)
			var hours [usageHours]amount
			for i, a := range tt.hours {
				hours[i] = a
			}
			var days [usageDays]amount
			for i, a := range tt.days {
				days[i] = a
			}
			if diff := cmp.Diff(hours, got.hours); diff != "" {
				t.Errorf("hours: (-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(days, got.days); diff != "" {
				t.Errorf("days: (-want +got)\n%s", diff)
			}
			var byDay, byRoute amount
			for _, a := range days {
				byDay = byDay.plus(a)
			}
			for _, a := range got.routes {
				byRoute = byRoute.plus(a)
			}
			if byRoute != byDay {
				t.Errorf("routes: %+v, want %+v", byRoute, byDay)
			}
		})
	}
}

func TestUsageRoutes(t *testing.T) {
	got := usageRoutesOf(map[string]amount{"/z": {Answered: 1}, "/b": {Answered: 1, Refused: 1}, "/a": {Failed: 1}, "/none": {}})
	want := []usageLine{
		{Label: "/b", Amount: amount{Answered: 1, Refused: 1}, Total: 2, Share: 50},
		{Label: "/a", Amount: amount{Failed: 1}, Total: 1, Share: 25},
		{Label: "/z", Amount: amount{Answered: 1}, Total: 1, Share: 25},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

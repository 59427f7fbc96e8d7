package main

import "testing"

// TestGrowths checks which goroutines of a process are judged to grow, over 30 minutes.
func TestGrowths(t *testing.T) {
	tests := []struct {
		name  string
		value func(minute float64) float64
		grows bool
	}{
		{"steady", func(float64) float64 { return 50 }, false},
		{"only while it warms up", func(m float64) float64 { return 50 + 10*min(m, 15) }, false},
		{"up and down", func(m float64) float64 { return 50 + 20*float64(int(m)%2) }, false},
		{"more often high", func(m float64) float64 { return 50 + 30*min(1, float64(int(6*m)%6)*m/30) }, false},
		{"down", func(m float64) float64 { return 200 - m }, false},
		{"one a minute", func(m float64) float64 { return 50 + m }, true},
		{"one a minute, up and down", func(m float64) float64 { return 50 + m + 5*float64(int(m)%2) }, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := newCurves()
			for i := range 30 * 6 {
				m := float64(i) / 6
				c.add(goroutines, "api", m, test.value(m))
			}
			list := c.growths(30)
			if len(list) != 1 {
				t.Fatalf("%d lines are judged, want 1", len(list))
			}
			if g := list[0]; (g.rise > g.most) != test.grows {
				t.Errorf("a rise of %.1f, at most %.1f is allowed; want growth %v", g.rise, g.most, test.grows)
			}
		})
	}
}

// TestTimesAreNotJudged checks that slower answers are no leak.
func TestTimesAreNotJudged(t *testing.T) {
	c := newCurves()
	for m := range 31 {
		c.add(answers, "p99", float64(m), float64(m*m))
	}
	if list := c.growths(30); len(list) > 0 {
		t.Errorf("judged: %v", list)
	}
}

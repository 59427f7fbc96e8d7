package spelling

import (
	"fmt"
	"strings"
	"testing"
)

func TestWithout(t *testing.T) {
	for query, want := range map[string]string{
		"doom xbox series x":      "[doom] [xbox series x]",
		"doom ps 5 eternal":       "[doom eternal] [ps 5]",
		"doom 2016 1979":          "[doom 1979] [2016]",
		"steam world gold":        "[steam world gold] []",
		"doom game of the":        "[doom game of the] []",
		"doom collectors edition": "[doom collectors edition] []",
		"":                        "[] []",
	} {
		if got := fmt.Sprint(fields(WithoutPlatforms(strings.Fields(query)))...); got != want {
			t.Errorf("%q without platforms: %s, want %s", query, got, want)
		}
	}
	for query, want := range map[string]string{
		"doom game of the year edition": "[doom] [game of the year edition]",
		"doom collectors 2016":          "[doom 2016] [collectors]",
		"gold doom ps5":                 "[gold doom ps5] []",
	} {
		if got := fmt.Sprint(fields(WithoutEditions(strings.Fields(query)))...); got != want {
			t.Errorf("%q without editions: %s, want %s", query, got, want)
		}
	}
}

func fields(rest, dropped []string) []any { return []any{rest, " ", dropped} }

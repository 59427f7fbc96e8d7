package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// wantDocumentedMetrics checks that the table of doc/operations/monitoring.md has the metrics of a
// service with all roles, and their labels. The module deploy compares its alerts and
// its Grafana dashboard with that table.
func wantDocumentedMetrics(t *testing.T, ops string) {
	t.Helper()
	want := map[string][]string{}
	row := regexp.MustCompile("(?m)^\\| ((?:`gamedex_[a-z_]+`(?:, )?)+) \\|([^|]*)\\|")
	quoted := regexp.MustCompile("`([a-z_]+)`")
	for _, found := range row.FindAllStringSubmatch(read(t, operationsPages+"monitoring.md"), -1) {
		for _, name := range quoted.FindAllStringSubmatch(found[1], -1) {
			want[name[1]] = nil
			for _, label := range quoted.FindAllStringSubmatch(found[2], -1) {
				want[name[1]] = append(want[name[1]], label[1])
			}
		}
	}
	_, text := fetch(t, "GET", ops+"/metrics")
	if diff := cmp.Diff(want, metricsOf(text), cmpopts.SortSlices(strings.Compare)); diff != "" {
		t.Errorf("the table of doc/operations/monitoring.md (-) is not what a service has (+):\n%s", diff)
	}
}

// metricsOf returns the metrics of this program in an answer of /metrics, with their
// labels.
func metricsOf(text string) map[string][]string {
	metrics := map[string][]string{}
	label := regexp.MustCompile(`([a-z]+)="`)
	name := ""
	for line := range strings.Lines(text) {
		if family, ok := strings.CutPrefix(line, "# TYPE "); ok {
			name, _, _ = strings.Cut(family, " ")
		}
		if line[0] == '#' || !strings.HasPrefix(name, "gamedex_") {
			continue
		}
		metrics[name] = nil
		for _, found := range label.FindAllStringSubmatch(line, -1) {
			if found[1] != "le" {
				metrics[name] = append(metrics[name], found[1])
			}
		}
	}
	return metrics
}

package deploy_test

import (
	"encoding/json"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
)

// documented returns the metrics of doc/operations/monitoring.md with their labels. A test of
// cmd/gamedex compares them with a running service.
func documented(t *testing.T) map[string][]string {
	t.Helper()
	metrics := map[string][]string{}
	row := regexp.MustCompile("(?m)^\\| ((?:`gamedex_[a-z_]+`(?:, )?)+) \\|([^|]*)\\|")
	quoted := regexp.MustCompile("`([a-z_]+)`")
	for _, found := range row.FindAllStringSubmatch(read(t, "../doc/operations/monitoring.md"), -1) {
		for _, name := range quoted.FindAllStringSubmatch(found[1], -1) {
			metrics[name[1]] = nil
			for _, label := range quoted.FindAllStringSubmatch(found[2], -1) {
				metrics[name[1]] = append(metrics[name[1]], label[1])
				if slices.Contains(ofScrapes, label[1]) {
					t.Errorf("%s: prometheus.yml gives its label %s another meaning", name[1], label[1])
				}
			}
		}
	}
	if len(metrics) < 20 {
		t.Fatalf("doc/operations/monitoring.md is not understood: it has %d metrics", len(metrics))
	}
	return metrics
}

var (
	// ofProcesses are metrics of every program in Go, and of Prometheus itself.
	ofProcesses = []string{"up", "process_cpu_seconds_total", "process_resident_memory_bytes", "process_open_fds", "process_max_fds"}
	// ofScrapes are labels that prometheus.yml adds.
	ofScrapes = []string{"job", "instance", "service"}
)

// checkExpression checks that an expression can be read, and uses nothing that no node
// has.
func checkExpression(t *testing.T, where, text string, metrics map[string][]string) {
	t.Helper()
	expression, err := parser.NewParser(parser.Options{}).ParseExpr(strings.ReplaceAll(text, "$__rate_interval", "1m"))
	if err != nil {
		t.Errorf("%s: %v", where, err)
		return
	}
	used, labels := 0, slices.Clone(ofScrapes)
	parser.Inspect(expression, func(n parser.Node, _ []parser.Node) error {
		selector, ok := n.(*parser.VectorSelector)
		if !ok {
			return nil
		}
		used++
		name, histogram := strings.CutSuffix(selector.Name, "_bucket")
		own, known := metrics[name]
		if !known && !slices.Contains(ofProcesses, name) {
			t.Errorf("%s: no node has the metric %s", where, selector.Name)
		}
		labels = append(labels, own...)
		if histogram {
			labels = append(labels, "le")
		}
		for _, m := range selector.LabelMatchers {
			if m.Name != model.MetricNameLabel && !slices.Contains(own, m.Name) && !slices.Contains(ofScrapes, m.Name) {
				t.Errorf("%s: %s has no label %s", where, name, m.Name)
			}
		}
		return nil
	})
	parser.Inspect(expression, func(n parser.Node, _ []parser.Node) error {
		if sum, ok := n.(*parser.AggregateExpr); ok {
			for _, label := range sum.Grouping {
				if !slices.Contains(labels, label) {
					t.Errorf("%s: nothing in it has the label %s", where, label)
				}
			}
		}
		return nil
	})
	if used == 0 {
		t.Errorf("%s: uses no metric", where)
	}
}

func TestAlerts(t *testing.T) {
	metrics := documented(t)
	file := "prometheus/alerts.yml"
	groups, errs := rulefmt.ParseFile(file, false, model.UTF8Validation, parser.NewParser(parser.Options{}), slog.New(slog.DiscardHandler))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	label := regexp.MustCompile(`\$labels\.([a-z]+)`)
	for _, group := range groups.Groups {
		for _, rule := range group.Rules {
			checkExpression(t, rule.Alert, rule.Expr, metrics)
			if rule.Labels["severity"] == "" || rule.Annotations["summary"] == "" || rule.Annotations["do"] == "" {
				t.Errorf("%s: has no severity, summary or remedy", rule.Alert)
			}
			for _, found := range label.FindAllStringSubmatch(rule.Annotations["summary"], -1) {
				has := slices.Contains(ofScrapes, found[1])
				for name, labels := range metrics {
					has = has || strings.Contains(rule.Expr, name) && slices.Contains(labels, found[1])
				}
				if !has {
					t.Errorf("%s: the summary has the label %s, which the expression has not", rule.Alert, found[1])
				}
			}
		}
	}
}

func TestDashboard(t *testing.T) {
	metrics := documented(t)
	var dashboard struct {
		UID    string `json:"uid"`
		Panels []struct {
			ID      int    `json:"id"`
			Title   string `json:"title"`
			Targets []struct {
				Expr string `json:"expr"`
			} `json:"targets"`
			Datasource struct {
				UID string `json:"uid"`
			} `json:"datasource"`
		} `json:"panels"`
	}
	if err := json.Unmarshal([]byte(read(t, "grafana/boards/gamedex.json")), &dashboard); err != nil {
		t.Fatal(err)
	}
	ids := map[int]bool{}
	for _, panel := range dashboard.Panels {
		if ids[panel.ID] || len(panel.Targets) == 0 {
			t.Errorf("panel %q: its number %d is used twice, or it shows nothing", panel.Title, panel.ID)
		}
		ids[panel.ID] = true
		if !strings.Contains(read(t, "grafana/provisioning/datasources/prometheus.yaml"), "uid: "+panel.Datasource.UID+"\n") {
			t.Errorf("panel %q: there is no data source %q", panel.Title, panel.Datasource.UID)
		}
		for _, target := range panel.Targets {
			checkExpression(t, "panel "+panel.Title, target.Expr, metrics)
		}
	}
}

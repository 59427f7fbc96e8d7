package dashboard_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"gamedex/internal/testing/browsertest"
)

// lighthouse is the program that scripts/setup clients installs.
const lighthouse = "../../.cache/lighthouse/node_modules/.bin/lighthouse"

// TestLighthouseFindsNothing lets Lighthouse look at the first page, deals and a game, as a phone: they
// have all points for accessibility, best practices and search engines. How fast pages are depends on
// the machine.
func TestLighthouseFindsNothing(t *testing.T) {
	required := os.Getenv("GAMEDEX_CLIENTS") == "required"
	if _, err := os.Stat(lighthouse); err != nil && !required {
		t.Skip("needs Lighthouse: scripts/setup clients")
	}
	if err := browsertest.Missing(); err != nil && !required {
		t.Skip(err)
	}
	chromium, err := browsertest.Program()
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, withPublicPages)
	for _, path := range []string{"/en", "/ru/deals/ua", pcWitcher + "/the-witcher-3-wild-hunt?country=UA"} {
		report := filepath.Join(t.TempDir(), "report.json")
		cmd := exec.CommandContext(t.Context(), lighthouse, w.server.URL+path, "--quiet", "--no-enable-error-reporting", "--output=json", "--output-path="+report,
			"--only-categories=accessibility,best-practices,seo", "--chrome-flags=--headless --no-sandbox --disable-gpu --disable-dev-shm-usage")
		cmd.Env = append(os.Environ(), "CHROME_PATH="+chromium)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", path, err, out)
		}
		var found struct {
			Categories map[string]struct {
				Score     float64
				AuditRefs []struct {
					ID     string
					Weight float64
				}
			}
			Audits map[string]struct {
				Title   string
				Score   *float64
				Details json.RawMessage
			}
		}
		if err := json.Unmarshal([]byte(readFile(t, report)), &found); err != nil || len(found.Categories) != 3 {
			t.Fatalf("%s: %d categories, %v", path, len(found.Categories), err)
		}
		for name, category := range found.Categories {
			if category.Score == 1 {
				continue
			}
			t.Errorf("%s: %s has %.0f of 100", path, name, category.Score*100)
			for _, ref := range category.AuditRefs {
				if a := found.Audits[ref.ID]; ref.Weight > 0 && a.Score != nil && *a.Score < 1 {
					t.Errorf("%s: %s: %.1000s", path, a.Title, a.Details)
				}
			}
		}
	}
}

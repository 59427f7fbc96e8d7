package browsertest

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	t.Setenv("HOME", "/Users/ann")
	const chrome, own = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome", "/Users/ann/Applications/Chromium.app/Contents/MacOS/Chromium"
	for _, tc := range []struct {
		name, named string
		there       []string
		want        string // or the start of the error
	}{
		{"the headless shell before a browser with windows", "", []string{"chromium", "chromium-headless-shell"}, "chromium-headless-shell"},
		{"the PATH before apps", "", []string{chrome, "chromium"}, "chromium"},
		{"an app", "", []string{own, chrome}, chrome},
		{"an app of one user", "", []string{own}, own},
		{"the named one", "/opt/chrome", []string{"/opt/chrome", "chromium"}, "/opt/chrome"},
		{"none", "", nil, "there is no Chromium or Chrome: run make setup"},
		{"the named one is not there", "/opt/chrome", []string{"chromium"}, `GAMEDEX_CHROMIUM is "/opt/chrome"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := find(tc.named, func(name string) (string, error) {
				if !slices.Contains(tc.there, name) {
					return "", fs.ErrNotExist
				}
				return name, nil
			})
			if err != nil {
				got = err.Error()
			}
			if !strings.HasPrefix(got, tc.want) {
				t.Errorf("found %q, want %q", got, tc.want)
			}
		})
	}
}

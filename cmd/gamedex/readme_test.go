package main

import (
	"regexp"
	"strings"
	"testing"
)

// readmeRequests returns the first requests of the README, each on one line.
func readmeRequests(t *testing.T) (commands []string) {
	t.Helper()
	_, block, _ := strings.Cut(read(t, "../../README.md"), "## First requests")
	block, _, _ = strings.Cut(block, "## Your own prices")
	return regexp.MustCompile(`(?m)^curl .*$`).FindAllString(strings.ReplaceAll(block, "\\\n", ""), -1)
}

// TestReadmeRequests sends the first requests of the README to the demo.
func TestReadmeRequests(t *testing.T) {
	t.Parallel()
	commands := readmeRequests(t)
	if len(commands) != 6 {
		t.Fatalf("%d requests, want 6: %q", len(commands), commands)
	}
	u := sharedDemo.open(t).user(t)
	for _, command := range commands {
		path := regexp.MustCompile(`\$API([^"\s]+)`).FindStringSubmatch(command)
		if path == nil {
			t.Fatalf("no path in %s", command)
		}
		if body := regexp.MustCompile(`-d '([^']+)'`).FindStringSubmatch(command); body != nil {
			u.post(body[1]).want(200)
			continue
		}
		a := u.do("GET", path[1], "").want(200)
		if strings.HasPrefix(path[1], "/catalog/deals") && a.at("data.items.4.price.discountPercent") == nil {
			t.Errorf("%s finds fewer than five deals", command)
		}
	}
}

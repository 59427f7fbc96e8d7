package main

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// curlCommands returns the curl commands in a text, each on one line.
func curlCommands(text string) []string {
	return regexp.MustCompile(`(?m)^curl .*$`).FindAllString(strings.ReplaceAll(text, "\\\n", ""), -1)
}

// curl sends the request of a curl command, which must be answered.
func (u *apiUser) curl(command string) answer {
	u.t.Helper()
	path := regexp.MustCompile(`\$API([^"\s]+)`).FindStringSubmatch(command)
	if path == nil {
		u.t.Fatalf("no path in %s", command)
	}
	if body := regexp.MustCompile(`-d '([^']+)'`).FindStringSubmatch(command); body != nil {
		return u.do(http.MethodPost, path[1], body[1], header("Content-Type", "application/json")).want(200)
	}
	return u.get(path[1]).want(200)
}

// readmeRequests returns the first requests of the README.
func readmeRequests(t *testing.T) []string {
	t.Helper()
	_, block, _ := strings.Cut(read(t, "../../README.md"), "## First requests")
	block, _, _ = strings.Cut(block, "## Your own prices")
	return curlCommands(block)
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
		a := u.curl(command)
		if strings.Contains(command, "$API/catalog/deals") && a.at("data.items.4.price.discountPercent") == nil {
			t.Errorf("%s finds fewer than five deals", command)
		}
	}
}

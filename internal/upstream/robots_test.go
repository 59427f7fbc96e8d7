package upstream_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gamedex/internal/upstream"
)

// robotsHost answers robots.txt with one answer and everything else with 200.
type robotsHost struct {
	status   int // zero: no answer
	body     string
	header   []string
	asked    []string
	location string
}

func (h *robotsHost) answer(r *http.Request) *http.Response {
	h.asked = append(h.asked, r.URL.Path)
	if r.URL.Path != "/robots.txt" {
		return reply(200, `{}`, "Content-Type", "application/json")
	}
	if h.status == 0 {
		return nil
	}
	return reply(h.status, h.body, append(h.header, "Location", h.location)...)
}

func (h *robotsHost) client(t *testing.T, more ...func(*upstream.Config, *upstream.Host)) *upstream.Client {
	respect := func(_ *upstream.Config, o *upstream.Host) { o.IgnoreRobots = false }
	return fake(t, h.answer, append([]func(*upstream.Config, *upstream.Host){respect}, more...)...)
}

func TestRobotsRules(t *testing.T) {
	tests := []struct {
		name, robots  string
		allow, forbid string // paths
	}{
		{"empty", "", "/ /a", ""},
		{"everybody", "User-agent: *\nDisallow: /a", "/ /b", "/a /a/b /ab /a?b=c"},
		{"nothing disallowed", "User-agent: *\nDisallow:", "/ /a", ""},
		{"all disallowed", "User-agent: *\nDisallow: /", "/robots.txt", "/ /a"},
		{"our group wins", "User-agent: *\nDisallow: /\n\nUser-agent: gamedex\nDisallow: /a", "/ /b", "/a"},
		{"our empty group wins", "User-agent: gamedex\n\nUser-agent: *\nDisallow: /x\n", "/ /a", "/x"},
		{"our group without rules", "User-agent: gamedex\nDisallow:\nUser-agent: *\nDisallow: /", "/ /a", ""},
		{"any case, with a version", "USER-AGENT: GameDex/3.1\nDISALLOW: /a", "/", "/a"},
		{"not our prefix", "User-agent: game\nDisallow: /a\nUser-agent: gamedexer\nDisallow: /", "/a /b", ""},
		{"groups are joined", "User-agent: gamedex\nDisallow: /a\nUser-agent: x\nDisallow: /b\nUser-agent: gamedex\nDisallow: /c", "/b", "/a /c"},
		{"one group for several", "User-agent: x\nUser-agent: gamedex\nDisallow: /a", "/b", "/a"},
		{"other lines do not separate groups", "User-agent: gamedex\nCrawl-delay: 3\nSitemap: https://store.example/map\nUser-agent: y\nDisallow: /a", "/b", "/a"},
		{"longest match", "User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /a/b/c", "/a/b /a/b/d", "/a /a/c /a/b/c"},
		{"allow wins a tie", "User-agent: *\nDisallow: /a\nAllow: /a", "/a", ""},
		{"allow wins a tie in any order", "User-agent: *\nAllow: /a\nDisallow: /a", "/a", ""},
		{"star", "User-agent: *\nDisallow: /*/private", "/private /a/b", "/a/private /a/b/private/c"},
		{"stars", "User-agent: *\nDisallow: /a*b*c", "/a /abd /acb", "/abc /a1b2c3 /abbcc"},
		{"end", "User-agent: *\nDisallow: /a$", "/ab /a/ /a?x", "/a"},
		{"star and end", "User-agent: *\nDisallow: /*.gif$", "/a.gif? /a.gif?b /a.gif/b /a.gi", "/a.gif /a/b.gif /a.gif.gif"},
		{"parts do not overlap", "User-agent: *\nDisallow: /aa*aa$", "/aaa /aa", "/aaaa /aabaa"},
		{"star at the end", "User-agent: *\nDisallow: /a*", "/b", "/a /ab"},
		{"dollar inside", "User-agent: *\nDisallow: /a$b", "/a", "/a$b /a$bc"},
		{"query", "User-agent: *\nDisallow: /*?operationName=", "/a?x=1", "/graphql?operationName=q"},
		{"escapes", "User-agent: *\nDisallow: /%7Ea/é%2f", "/~a/%C3%A9/", "/~a/%C3%A9%2Fb /%7ea/%c3%a9%2fb"},
		{"spaces and comments", "  user-agent : * # all\n\tdisallow :  /a  # not this\n#disallow: /b", "/b", "/a"},
		{"line ends", "User-agent: *\rDisallow: /a\r\nDisallow: /b\r\r\nDisallow: /c", "/d", "/a /b /c"},
		{"byte order mark", "\ufeffUser-agent: *\nDisallow: /a", "/b", "/a"},
		{"rules before any group", "Disallow: /\nUser-agent: *\nDisallow: /a", "/b", "/a"},
		{"nonsense", "<!doctype html><p>disallow: /</p>\nUser-agent\n: *\n\x00\xff%%%\nDisallow", "/ /a", ""},
		{"bad escapes", "User-agent: *\nDisallow: /%\nDisallow: /%zz\nDisallow: /%4", "/a", ""}, // not possible in a URL
		{"beyond the limit", "User-agent: *\nDisallow: /a\n" + strings.Repeat("#", 500<<10) + "\nDisallow: /b", "/b", "/a"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := robotsHost{status: 200, body: tt.robots}
			c := h.client(t)
			for _, path := range strings.Fields(tt.allow) {
				if _, err := c.Get(t.Context(), upstream.Request{URL: "https://store.example" + path}); err != nil && path != "/robots.txt" {
					t.Errorf("%s: %v", path, err)
				}
			}
			for _, path := range strings.Fields(tt.forbid) {
				if _, err := c.Get(t.Context(), upstream.Request{URL: "https://store.example" + path}); err == nil {
					t.Errorf("%s is allowed", path)
				}
			}
		})
	}
}

func TestRobotsDisallowOnePath(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := robotsHost{status: 200, body: "User-agent: *\nDisallow: /page"}
		c := h.client(t)
		time.Sleep(time.Hour)
		failed := wantKind(t, get(t, c), upstream.Refused)
		if time.Until(failed.Until) != 24*time.Hour || !strings.Contains(failed.Error(), "robots.txt") {
			t.Errorf("got %v", failed)
		}
		if _, err := c.Get(t.Context(), upstream.Request{URL: "https://store.example/other"}); err != nil {
			t.Error(err)
		}
		time.Sleep(24*time.Hour - ms)
		wantKind(t, get(t, c), upstream.Refused)
		h.body = ""
		time.Sleep(ms)
		wantKind(t, get(t, c), answered)
		want := "/robots.txt /other /robots.txt /page"
		if got := strings.Join(h.asked, " "); got != want || c.Requests() != 4 {
			t.Errorf("asked %s, want %s; %d requests", got, want, c.Requests())
		}
	})
}

func TestRobotsAnswers(t *testing.T) {
	const forbidden = "User-agent: *\nDisallow: /"
	tests := []struct {
		name string
		host robotsHost
		want upstream.Kind // of a request for something else; zero: it is made
	}{
		{"missing", robotsHost{status: 404, body: forbidden}, 0},
		{"forbidden", robotsHost{status: 403, body: forbidden}, 0},
		{"gone", robotsHost{status: 410, body: forbidden}, 0},
		{"a page", robotsHost{status: 200, body: "<p>captcha</p>", header: []string{"Content-Type", "text/html"}}, 0},
		{"elsewhere", robotsHost{status: 301, location: "https://www.store.example/robots.txt", body: forbidden}, 0},
		{"throttled", robotsHost{status: 429}, upstream.Throttled},
		{"server error", robotsHost{status: 500}, upstream.Down},
		{"unreachable", robotsHost{}, upstream.Down},
		{"garbage", robotsHost{status: 200, body: "x", header: []string{"Content-Encoding", "gzip"}}, upstream.Broken},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := tt.host
			if wantKind(t, get(t, h.client(t)), tt.want) != nil {
				for _, path := range h.asked {
					if path != "/robots.txt" {
						t.Errorf("asked for %s", path)
					}
				}
			}
		})
	}
}

func TestOldRobotsHoldWhileTheHostIsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := robotsHost{status: 200, body: "User-agent: *\nDisallow: /page"}
		c := h.client(t, func(_ *upstream.Config, o *upstream.Host) { o.Attempts = 1 })
		wantKind(t, get(t, c), upstream.Refused)
		h.status = 500
		time.Sleep(24 * time.Hour)
		if failed := wantKind(t, get(t, c), upstream.Refused); time.Until(failed.Until) != time.Hour {
			t.Errorf("got %v, want a stop for an hour", failed)
		}
		h.status = 404
		time.Sleep(time.Hour)
		wantKind(t, get(t, c), answered)
	})
}

func TestRobotsForbidRedirects(t *testing.T) {
	c := fake(t, func(r *http.Request) *http.Response {
		switch r.URL.Path {
		case "/robots.txt":
			return reply(200, "User-agent: *\nDisallow: /inner")
		case "/page":
			return reply(302, "", "Location", "/inner")
		}
		t.Errorf("asked for %s", r.URL.Path)
		return nil
	}, func(_ *upstream.Config, h *upstream.Host) { h.IgnoreRobots = false })
	wantKind(t, get(t, c), upstream.Refused)
}

func FuzzRobots(f *testing.F) {
	for _, s := range []string{
		"User-agent: *\nDisallow: /a*b$\nAllow: /%C3", "user-agent:gamedex\n\nallow:*\ndisallow:$\n", "\ufeff:::\r\n*", "User-agent: *\nDisallow: ****",
	} {
		f.Add(s, "/a%2Fb?x=*")
	}
	f.Add("", "7%0X00") // not a URL
	f.Fuzz(func(t *testing.T, robots, path string) {
		h := robotsHost{status: 200, body: robots}
		c := h.client(t)
		_, err := c.Get(t.Context(), upstream.Request{URL: "https://store.example/" + path})
		if err == nil {
			return
		}
		if !strings.Contains(strings.ToLower(robots), "disallow") && !strings.Contains(err.Error(), "the URL is not an http or https URL") {
			t.Errorf("%q without any rule: %v", robots, err)
		}
	})
}

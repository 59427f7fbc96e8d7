package main

import (
	"context"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// TestServeInProcess runs the whole service inside the test, so that the race
// detector sees its wiring: traffic, an import beside it, a key change, and a
// stop that leaves no goroutine behind.
func TestServeInProcess(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	dir := t.TempDir()
	ctx, stop := context.WithCancel(t.Context())
	var stdout, stderr lockedBuffer
	p := &program{Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr, Now: time.Now, Exit: func(int) {}}
	ended := make(chan int)
	go func() {
		ended <- p.run(ctx, []string{"--data-dir", dir, "serve", "--demo", "--log-level", "error",
			"--limit-minute", "100000", "--addr", "127.0.0.1:0", "--ops-addr", "127.0.0.1:0"})
	}()
	token := waitForOutput(t, &stdout, regexp.MustCompile(`gdx_\w{36}`))
	api := strings.TrimPrefix(waitForOutput(t, &stdout, regexp.MustCompile(`API +http\S+`)), "API")
	client := &http.Client{Timeout: 10 * time.Second}

	var traffic sync.WaitGroup
	for _, path := range []string{"/catalog/search?q=the", "/catalog/suggest?q=wi", "/account/usage", "/account/me",
		"/catalog/prices?ids=the-witcher-3-wild-hunt&regions=all&include=editions,url,fx"} {
		traffic.Go(func() {
			for range 50 {
				ask(t, client, strings.TrimSpace(api)+path, token)
			}
		})
	}
	beside := &program{Stdin: strings.NewReader(besideLine), Stdout: io.Discard, Stderr: &stderr, Now: time.Now}
	if status := beside.run(t.Context(), []string{"--data-dir", dir, "import", "-"}); status != 0 {
		t.Errorf("import beside the server: status %d", status)
	}
	if status := beside.run(t.Context(), []string{"--data-dir", dir, "key", "create", "--name", "second"}); status != 0 {
		t.Errorf("key create beside the server: status %d", status)
	}
	traffic.Wait()
	client.CloseIdleConnections()
	stop()
	if status := <-ended; status != 0 || stderr.String() != "" && strings.Contains(stderr.String(), "level=ERROR") {
		t.Errorf("serve ended with %d: %s", status, stderr.String())
	}
}

const besideLine = `{"platform":"pcstore","region":"UA","product":"beside","slug":"beside","title":"Beside","type":"base","price":{"currency":"UAH","base":100,"current":100},"observedAt":"2026-11-01T00:00:00Z"}`

func ask(t *testing.T, client *http.Client, url, token string) {
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		t.Error(err)
		return
	}
	req.Header.Set("X-Api-Key", token)
	res, err := client.Do(req)
	if err != nil {
		t.Error(err)
		return
	}
	defer res.Body.Close()
	if body, err := io.ReadAll(res.Body); err != nil || res.StatusCode != http.StatusOK {
		t.Errorf("GET %s: %d %v %s", url, res.StatusCode, err, body)
	}
}

func waitForOutput(t *testing.T, out *lockedBuffer, what *regexp.Regexp) string {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if found := what.FindString(out.String()); found != "" {
			return found
		}
	}
	t.Fatalf("no %s in the output: %s", what, out.String())
	return ""
}

package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gamedex/internal/testing/enginetest"
)

// moonFarm is a line with a new price of one card.
func moonFarm(observedAt, price string) string {
	return listing("consolestore", "UA", "EP0002-CUSA20001_00-MOONFARM00000001", observedAt,
		`"family":"10000002","title":"Moon Farm","invariantName":"Moon Farm","platforms":["PS4","PS5"],"price":{"currency":"UAH","current":`+price+`}`)
}

// TestServeOnS3 runs a builder and a node that answers, as processes of their own, with
// an S3 service between them. The service goes away and comes back.
func TestServeOnS3(t *testing.T) {
	service := enginetest.NewS3(t)
	t.Setenv("AWS_ACCESS_KEY_ID", enginetest.S3AccessKey)
	t.Setenv("AWS_SECRET_ACCESS_KEY", enginetest.S3SecretKey)
	at := "s3://" + service.NewBucket(t) + "/gamedex?endpoint=" + service.URL
	other := sharedClient(t)
	s := &shop{dir: t.TempDir()}
	s.token = fillFolder(t, s.dir)
	builder := start(t, s.dir, "--bucket", at, "--roles", "build,collect")
	s.start(t, "--bucket", at, "--roles", "api")
	u := s.user(t)

	// Answers are the same as those of the shared service.
	farm := idOf(u, "Moon Farm")
	for _, path := range []string{"/catalog/games/" + farm, "/catalog/prices?regions=all&ids=" + farm, "/catalog/search?q=star", "/catalog/exchange-rates"} {
		a, b := u.get(path).want(200), other.get(path).want(200)
		if a.header.Get("ETag") != b.header.Get("ETag") || withoutMeta(t, string(a.body)) != withoutMeta(t, string(b.body)) {
			t.Errorf("%s: %s %s; of the shared service %s %s", path, a.header.Get("ETag"), a.body, b.header.Get("ETag"), b.body)
		}
	}
	if _, err := os.Stat(filepath.Join(s.dir, "snapshots")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the data folder has snapshots: %v", err)
	}
	if out := must(t, s.dir, "", "check", "--bucket", at); !regexp.MustCompile(`snapshot \d+: good`).MatchString(out) {
		t.Errorf("check says %s", out)
	}

	// A change goes from process to process.
	price := func(want string) {
		t.Helper()
		u.eventually("/catalog/prices?ids="+farm, valueIs("data.items.0.regions.UA.current", want))
	}
	must(t, s.dir, moonFarm("2024-06-01T10:00:00Z", "4200"), "import", "-")
	price("4200")

	// Without the service a node starts from its cache, and the builder retries.
	builder.quietLog()
	if err := service.Kill(); err != nil {
		t.Fatal(err)
	}
	must(t, s.dir, moonFarm("2024-06-02T10:00:00Z", "4300"), "import", "-")
	s.stop()
	s.start(t, "--bucket", at, "--roles", "api")
	u = s.user(t)
	price("4200")
	s.logs("the one of the last run is served")
	builder.logs("build failed; it will be tried again")
	if r := run(t, s.dir, "", "check", "--bucket", at); r.status != 1 || !strings.Contains(r.stderr, "does not answer") {
		t.Errorf("check without the service: status %d %s", r.status, r.stderr)
	}
	service.Restart(t)
	price("4300")
}

// TestBucketThatCannotWork checks that serve ends with a sentence.
func TestBucketThatCannotWork(t *testing.T) {
	service := enginetest.SharedS3(t)
	good := service.NewBucket(t)
	for _, tt := range []struct{ bucket, secret, roles, want string }{
		{"missing", enginetest.S3SecretKey, "api,build,collect", "there is no bucket missing at "},
		{"missing", enginetest.S3SecretKey, "api", "there is no bucket missing at "},
		{good, "hunter2", "api", "does not accept the credentials"},
	} {
		t.Setenv("AWS_ACCESS_KEY_ID", enginetest.S3AccessKey)
		t.Setenv("AWS_SECRET_ACCESS_KEY", tt.secret)
		r := run(t, t.TempDir(), "", "serve", "--addr", "127.0.0.1:0", "--ops-addr", "127.0.0.1:0", "--roles", tt.roles,
			"--bucket", "s3://"+tt.bucket+"?endpoint="+service.URL)
		if r.status != 1 || !strings.Contains(r.stderr, "--bucket: ") || !strings.Contains(r.stderr, tt.want) || strings.Contains(r.stderr, "hunter2") {
			t.Errorf("%+v: status %d %s", tt, r.status, r.stderr)
		}
	}
}

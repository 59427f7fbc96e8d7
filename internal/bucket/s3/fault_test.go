package s3_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"gamedex/internal/bucket"
	"gamedex/internal/testing/buckettest"
	"gamedex/internal/testing/enginetest"
	"gamedex/internal/testing/porttest"
)

// faulty is a proxy before a service. wrap handles each request first.
func faulty(t *testing.T, service *enginetest.S3, wrap func(w http.ResponseWriter, r *http.Request, pass http.Handler)) (endpoint string) {
	t.Helper()
	target, err := url.Parse(service.URL)
	must(t, err)
	pass := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Host = r.In.Host // it is signed
	}, ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { hangUp(w) }}
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { wrap(w, r, pass) }))
	t.Cleanup(proxy.Close)
	return proxy.URL
}

// hangUp closes a connection without an answer.
func hangUp(w http.ResponseWriter) {
	connection, _, err := http.NewResponseController(w).Hijack()
	if err == nil {
		connection.Close()
	}
}

// TestUnclearPut checks that Put finds out what became of a request that has no answer.
func TestUnclearPut(t *testing.T) {
	service := enginetest.SharedS3(t)
	var lost atomic.Int32
	for name, tt := range map[string]struct {
		before string // content of the blob before
		put    func(w http.ResponseWriter, r *http.Request, pass http.Handler)
		want   error // nil: success; io.EOF: any but ErrExists
		after  string
	}{
		"it arrived": {put: func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
			pass.ServeHTTP(httptest.NewRecorder(), r)
			hangUp(w)
		}, after: "new"},
		"it was refused": {before: "old", put: func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
			pass.ServeHTTP(httptest.NewRecorder(), r)
			hangUp(w)
		}, want: bucket.ErrExists, after: "old"},
		"it was refused unread": {before: "old", put: func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { hangUp(w) },
			want: bucket.ErrExists, after: "old"},
		"equal bytes were there": {before: "new", put: func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { hangUp(w) },
			want: bucket.ErrExists, after: "new"},
		"it was lost at first": {put: func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
			if lost.Add(1) <= 3 { // the attempts of the client
				hangUp(w)
				return
			}
			pass.ServeHTTP(w, r)
		}, after: "new"},
		"it was lost": {put: func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { hangUp(w) }, want: io.EOF},
		"it was cut": {put: func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
			r.Body = io.NopCloser(io.LimitReader(r.Body, 40))
			pass.ServeHTTP(httptest.NewRecorder(), r)
			hangUp(w)
		}, want: io.EOF},
	} {
		t.Run(name, func(t *testing.T) {
			var broken atomic.Bool
			endpoint := faulty(t, service, func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
				if r.Method == http.MethodPut && broken.Load() {
					tt.put(w, r, pass)
					return
				}
				pass.ServeHTTP(w, r)
			})
			at := "s3://" + service.NewBucket(t) + "?endpoint="
			b, direct := open(t, service, at+endpoint), open(t, service, at+service.URL)
			must(t, b.CheckWrite(t.Context()))
			if tt.before != "" {
				must(t, direct.Put(t.Context(), "manifest/1", []byte(tt.before)))
			}
			broken.Store(true)
			err := b.Put(t.Context(), "manifest/1", []byte("new"))
			if errors.Is(tt.want, io.EOF) {
				if err == nil || errors.Is(err, bucket.ErrExists) {
					t.Errorf("put: %v, want another error than ErrExists", err)
				}
				if !errors.Is(err, bucket.ErrUnreachable) {
					t.Errorf("put: %v, want that it cannot be reached", err)
				}
			} else if !errors.Is(err, tt.want) {
				t.Errorf("put: %v, want %v", err, tt.want)
			}
			blob, err := direct.Get(t.Context(), "manifest/1")
			if string(blob) != tt.after || tt.after == "" && !errors.Is(err, bucket.ErrNotExist) {
				t.Errorf("then stored: %q, %v, want %q", blob, err, tt.after)
			}
		})
	}
}

// TestPutThatNobodyCanSettle checks that a refusal of a name that may be our own is a broken
// connection if nobody can tell.
func TestPutThatNobodyCanSettle(t *testing.T) {
	service := enginetest.SharedS3(t)
	var broken atomic.Bool
	endpoint := faulty(t, service, func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
		if r.Method == http.MethodHead && broken.Load() {
			hangUp(w)
			return
		}
		pass.ServeHTTP(w, r)
	})
	b := open(t, service, "s3://"+service.NewBucket(t)+"?endpoint="+endpoint)
	must(t, b.Put(t.Context(), "manifest/1", []byte("old")))
	broken.Store(true)
	if err := b.Put(t.Context(), "manifest/1", []byte("new")); !errors.Is(err, bucket.ErrUnreachable) || errors.Is(err, bucket.ErrExists) {
		t.Errorf("put: %v, want that the bucket cannot be reached", err)
	}
}

// TestBrokenGet checks that Get returns a whole blob or none.
func TestBrokenGet(t *testing.T) {
	service := enginetest.SharedS3(t)
	name := service.NewBucket(t)
	direct := open(t, service, "s3://"+name+"?endpoint="+service.URL)
	noise := make([]byte, 20<<20) // takes three ranges
	_, _ = rand.NewChaCha8([32]byte{}).Read(noise)
	store := func() {
		if err := errors.Join(direct.Delete(t.Context(), "blob/a"), direct.Put(t.Context(), "blob/a", noise)); err != nil {
			t.Error(err)
		}
	}
	store()
	for story, fault := range map[string]func(w http.ResponseWriter, r *http.Request) http.ResponseWriter{
		"the first range is cut": func(w http.ResponseWriter, r *http.Request) http.ResponseWriter {
			if strings.HasPrefix(r.Header.Get("Range"), "bytes=0-") {
				return &cut{w, 1000}
			}
			return w
		},
		"another range is cut": func(w http.ResponseWriter, r *http.Request) http.ResponseWriter {
			if strings.HasPrefix(r.Header.Get("Range"), "bytes=8388608-") {
				return &cut{w, 1000}
			}
			return w
		},
		"the object is replaced": func(w http.ResponseWriter, r *http.Request) http.ResponseWriter {
			if strings.HasPrefix(r.Header.Get("Range"), "bytes=16777216-") {
				noise[0]++
				store()
			}
			return w
		},
	} {
		t.Run(story, func(t *testing.T) {
			var broken atomic.Bool
			endpoint := faulty(t, service, func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
				if broken.Load() {
					w = fault(w, r)
				}
				pass.ServeHTTP(w, r)
			})
			b := open(t, service, "s3://"+name+"?endpoint="+endpoint)
			if got, err := b.Get(t.Context(), "blob/a"); err != nil || !bytes.Equal(got, noise) {
				t.Fatalf("got %d bytes, %v before the fault", len(got), err)
			}
			broken.Store(true)
			if got, err := b.Get(t.Context(), "blob/a"); err == nil {
				t.Errorf("got %d bytes, want an error", len(got))
			}
		})
	}
}

// cut breaks an answer off after so many bytes.
type cut struct {
	http.ResponseWriter
	left int
}

func (c *cut) Write(p []byte) (int, error) {
	if len(p) > c.left {
		_, _ = c.ResponseWriter.Write(p[:c.left])
		_ = http.NewResponseController(c.ResponseWriter).Flush()
		panic(http.ErrAbortHandler)
	}
	c.left -= len(p)
	return c.ResponseWriter.Write(p)
}

// TestCutAnswers checks that requests whose answers are cut off are retried, but not forever.
func TestCutAnswers(t *testing.T) {
	service := enginetest.SharedS3(t)
	var broken, requests atomic.Int32
	endpoint := faulty(t, service, func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
		requests.Add(1)
		if broken.Add(-1) >= 0 {
			w = &cut{w, 10}
		}
		pass.ServeHTTP(w, r)
	})
	b := open(t, service, "s3://"+service.NewBucket(t)+"?endpoint="+endpoint)
	for _, name := range []string{"blob/a", "blob/b"} {
		must(t, b.Put(t.Context(), name, []byte("content of "+name)))
	}
	for operation, call := range map[string]func() (string, error){
		"get blob": func() (string, error) {
			blob, err := b.Get(t.Context(), "blob/a")
			return string(blob), err
		},
		"list blobs": func() (string, error) {
			names, err := buckettest.List(t.Context(), b, "blob/")
			return strings.Join(names, " "), err
		},
	} {
		broken.Store(0)
		want, err := call()
		must(t, err)
		broken.Store(2)
		if got, err := call(); err != nil || got != want {
			t.Errorf("%s, two answers are cut off: %q, %v; want %q", operation, got, err, want)
		}
		broken.Store(1000)
		requests.Store(0)
		_, err = call()
		if !errors.Is(err, bucket.ErrUnreachable) || !strings.Contains(err.Error(), operation) || !strings.Contains(err.Error(), "s3://") {
			t.Errorf("%s, all answers are cut off: %v", operation, err)
		}
		if n := requests.Load(); n != 3 {
			t.Errorf("%s: %d requests, want 3", operation, n)
		}
	}
}

// TestChecks checks the sentences about buckets that cannot work.
func TestChecks(t *testing.T) {
	service := enginetest.SharedS3(t)
	name := service.NewBucket(t)
	careless := faulty(t, service, func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
		answer := httptest.NewRecorder()
		pass.ServeHTTP(answer, r)
		if answer.Code == http.StatusPreconditionFailed {
			w.Header().Set("ETag", `"0123"`)
			return // as if the second object had replaced the first
		}
		for key, values := range answer.Header() {
			w.Header()[key] = values
		}
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes())
	})
	busy := faulty(t, service, func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	closed := porttest.Closed(t)
	for _, tt := range []struct {
		story, location, key, secret string
		want                         []string
		unreachable, readable        bool
	}{
		{"a good one", name + "?endpoint=" + service.URL, enginetest.S3AccessKey, enginetest.S3SecretKey, nil, false, true},
		{"no bucket", "missing?endpoint=" + service.URL, enginetest.S3AccessKey, enginetest.S3SecretKey,
			[]string{"there is no bucket missing", "create it"}, false, false},
		{"wrong secret", name + "?endpoint=" + service.URL, enginetest.S3AccessKey, "hunter2",
			[]string{"does not accept the credentials", "AWS_SECRET_ACCESS_KEY"}, false, false},
		{"wrong key", name + "?endpoint=" + service.URL, "nobody", "hunter2",
			[]string{"does not accept the credentials", "AWS_ACCESS_KEY_ID"}, false, false},
		{"no key", name + "?endpoint=" + service.URL, "", "", []string{"no credentials", "AWS_ACCESS_KEY_ID"}, false, false},
		{"wrong region", name + "?region=elsewhere-1&endpoint=" + service.URL, enginetest.S3AccessKey, enginetest.S3SecretKey,
			[]string{"not in the region elsewhere-1"}, false, false},
		{"nothing listens", name + "?endpoint=http://" + closed, enginetest.S3AccessKey, enginetest.S3SecretKey,
			[]string{closed + " does not answer", "correct the parameter endpoint"}, true, false},
		{"no https there", name + "?endpoint=" + strings.TrimPrefix(service.URL, "http://"), enginetest.S3AccessKey, enginetest.S3SecretKey,
			[]string{"does not answer", "HTTP response to HTTPS client"}, true, false},
		{"it is busy", name + "?endpoint=" + busy, enginetest.S3AccessKey, enginetest.S3SecretKey, []string{"does not answer"}, true, false},
		{"it ignores conditions", name + "?endpoint=" + careless, enginetest.S3AccessKey, enginetest.S3SecretKey,
			[]string{"ignores If-None-Match", "honours conditional writes"}, false, true},
	} {
		t.Run(tt.story, func(t *testing.T) {
			b := open(t, service, "s3://"+tt.location)
			t.Setenv("AWS_ACCESS_KEY_ID", tt.key)
			t.Setenv("AWS_SECRET_ACCESS_KEY", tt.secret)
			t.Setenv("AWS_SHARED_CREDENTIALS_FILE", filepath.Join(t.TempDir(), "none"))
			t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
			err := b.CheckWrite(t.Context())
			if (err == nil) != (tt.want == nil) || errors.Is(err, bucket.ErrUnreachable) != tt.unreachable {
				t.Errorf("%v, want %q, unreachable %v", err, tt.want, tt.unreachable)
			}
			if _, err := b.Get(t.Context(), "blob/a"); errors.Is(err, bucket.ErrNotExist) != tt.readable {
				t.Errorf("get of a missing blob: %v, want ErrNotExist only where the bucket can be read", err)
			}
			for _, part := range tt.want {
				if err != nil && !strings.Contains(err.Error(), part) {
					t.Errorf("%v, want %q in it", err, part)
				}
			}
			if err != nil && strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the error has the password: %v", err)
			}
			for _, listErr := range b.Walk(t.Context(), "blob/", "") {
				if listErr != nil && strings.Count(listErr.Error(), "s3://"+name) > 1 {
					t.Errorf("%v, want the bucket named once", listErr)
				}
			}
		})
	}
	if left := keys(t, raw(t, service), name); left != "" {
		t.Errorf("the checks left %q", left)
	}
}

// TestCredentialsFile checks that the file of the AWS tools is read.
func TestCredentialsFile(t *testing.T) {
	service := enginetest.SharedS3(t)
	file := filepath.Join(t.TempDir(), "credentials")
	text := "[default]\naws_access_key_id = " + enginetest.S3AccessKey + "\naws_secret_access_key = " + enginetest.S3SecretKey + "\n"
	must(t, os.WriteFile(file, []byte(text), 0o600))
	b := open(t, service, "s3://"+service.NewBucket(t)+"?endpoint="+service.URL)
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", file)
	if err := b.CheckWrite(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestConditionsAreCheckedBeforeTheFirstPut checks that a builder that starts while the
// service is down checks it later.
func TestConditionsAreCheckedBeforeTheFirstPut(t *testing.T) {
	service := enginetest.SharedS3(t)
	var mu sync.Mutex
	var puts []string
	endpoint := faulty(t, service, func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
		if r.Method == http.MethodPut {
			mu.Lock()
			puts = append(puts, path.Base(path.Dir(r.URL.Path)))
			mu.Unlock()
		}
		pass.ServeHTTP(w, r)
	})
	b := open(t, service, "s3://"+service.NewBucket(t)+"?endpoint="+endpoint)
	for _, name := range []string{"blob/a", "blob/b"} {
		must(t, b.Put(t.Context(), name, nil))
	}
	mu.Lock()
	defer mu.Unlock()
	if got := strings.Join(puts, " "); got != "probe probe blob blob" {
		t.Errorf("PUTs to %s, want the probe twice and each blob once", got)
	}
}

package importer_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gamedex/internal/feed"
	"gamedex/internal/feed/importer"
	"gamedex/internal/testing/porttest"
)

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "feed.ndjson")
	if err := os.WriteFile(file, []byte("from a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	server := serve(t)
	tests := []struct {
		name, input, want string
		size              int64
	}{
		{"file", file, "from a file", 11},
		{"stdin", "-", "from stdin", -1},
		{"URL", server.URL + "/feed", "from the web", 12},
		{"URL in upper case", strings.Replace(server.URL, "http", "HTTP", 1) + "/feed", "from the web", 12},
		{"URL without length", server.URL + "/stream", "from the web", -1},
		{"URL of a server that compresses if allowed", server.URL + "/packing", "from the web", 12},
		{"device", os.DevNull, "", -1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in, size, err := importer.Inputs(strings.NewReader("from stdin"), server.Client())(t.Context(), tt.input)
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			got, err := io.ReadAll(in)
			if err != nil || string(got) != tt.want || size != tt.size {
				t.Errorf("got %q of %d bytes, %v; want %q of %d", got, size, err, tt.want, tt.size)
			}
		})
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	server := serve(t)
	tests := []struct{ name, input, want string }{
		{"no file", filepath.Join(dir, "none"), "none: no such file or directory"},
		{"directory", dir, dir + " is a directory, not a file"},
		{"not found", server.URL + "/none", "/none answered 404 Not Found"},
		{"password hidden in an invalid URL", "http://me:secret@[::1/x", "no URL: missing ']' in host"},
		{"password hidden", strings.Replace(server.URL, "://", "://me:secret@", 1) + "/none", "/none answered 404 Not Found"},
		{"no server", "http://" + porttest.Closed(t) + "/feed", "connection refused"},
		{"broken URL", "http://%zz", `invalid URL escape "%zz"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := importer.Inputs(nil, server.Client())(t.Context(), tt.input)
			if err == nil || !strings.HasSuffix(err.Error(), tt.want) || strings.Contains(err.Error(), "secret") {
				t.Errorf("got %v, want …%s", err, tt.want)
			}
		})
	}
}

// TestURLsAreShownWithoutSecrets checks every message of an import from a URL that
// has a password and a token: of a failed answer, of a connection that breaks, of a
// rejected line and of the progress.
func TestURLsAreShownWithoutSecrets(t *testing.T) {
	mux, closed := http.NewServeMux(), porttest.Closed(t)
	mux.HandleFunc("/bad", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "{}\n") })
	mux.HandleFunc("/cut", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "1000")
		io.WriteString(w, "{}\n")
	})
	mux.HandleFunc("/away", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://you:secret@"+closed+"/?token=secret", http.StatusFound)
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	base := strings.Replace(server.URL, "://", "://me:secret@", 1)
	for _, path := range []string{"/none?token=secret", "/bad?token=secret", "/cut?token=secret", "/away?token=secret"} {
		var said strings.Builder
		_, err := importer.Import(t.Context(), new(memory), importer.Options{
			Inputs: []string{base + path}, Open: importer.Inputs(nil, server.Client()), Now: time.Now,
			Rejected: func(input string, why *feed.LineError) { fmt.Fprintln(&said, input, why) },
			Progress: func(p importer.Progress) { fmt.Fprintln(&said, p.Input) },
		})
		if text := fmt.Sprintln(said.String(), err); strings.Contains(text, "secret") || len(text) < 30 {
			t.Errorf("%s: the messages are\n%s", path, text)
		}
		said.Reset()
		_, err = importer.ImportHistory(t.Context(), new(keptHistory), []string{base + path}, importer.Inputs(nil, server.Client()), time.Now,
			func(input string, why *feed.LineError) { fmt.Fprintln(&said, input, why) }, nil)
		if text := fmt.Sprintln(said.String(), err); strings.Contains(text, "secret") || len(text) < 30 {
			t.Errorf("%s, history: the messages are\n%s", path, text)
		}
	}
}

// TestRedirects checks that credentials stay with the address that they were given
// for, and that no redirect leaves HTTPS.
func TestRedirects(t *testing.T) {
	var got []string
	plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.Header.Get("Authorization")+r.Header.Get("Referer"))
		switch r.URL.Path {
		case "/from":
			http.Redirect(w, r, "/to", http.StatusFound)
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		}
	}))
	defer plain.Close()
	secure := httptest.NewTLSServer(http.RedirectHandler(plain.URL+"/to", http.StatusFound))
	defer secure.Close()
	withPassword := func(address, path string) string { return strings.Replace(address, "://", "://me:secret@", 1) + path }

	in, _, err := importer.Inputs(nil, plain.Client())(t.Context(), withPassword(plain.URL, "/from"))
	if err != nil {
		t.Fatal(err)
	}
	in.Close()
	if len(got) != 2 || got[0] == "" || got[1] != "" {
		t.Errorf("the credentials sent are %q, want some and then none", got)
	}
	got = nil
	if _, _, err := importer.Inputs(nil, secure.Client())(t.Context(), withPassword(secure.URL, "/")); err == nil || !strings.Contains(err.Error(), "from https to http") || len(got) > 0 {
		t.Errorf("from https to http: %v, %d requests", err, len(got))
	}
	if _, _, err := importer.Inputs(nil, plain.Client())(t.Context(), plain.URL+"/loop"); err == nil || !strings.Contains(err.Error(), "more than 10 times") {
		t.Errorf("a loop of redirects: %v", err)
	}
}

// TestOpenEndsWithItsContext checks that a blocked read ends with ctx, and that later
// reads fail too.
func TestOpenEndsWithItsContext(t *testing.T) {
	silent, writer := io.Pipe()
	defer writer.Close()
	ctx, cancel := context.WithCancel(t.Context())
	in, _, err := importer.Inputs(silent, nil)(ctx, "-")
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(5*time.Millisecond, cancel)
	for range 2 {
		if _, err := in.Read(make([]byte, 10)); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	}
}

func serve(t *testing.T) *httptest.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("/feed", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "from the web") })
	mux.HandleFunc("/stream", func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		io.WriteString(w, "from the web")
	})
	mux.HandleFunc("/packing", func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			w.Header().Set("Content-Encoding", "gzip")
			io.WriteString(w, gzipped(t, "from the web"))
			return
		}
		io.WriteString(w, "from the web")
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server
}

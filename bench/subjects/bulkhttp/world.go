package bulkhttp

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"

	"gamedex/bench/lab"
)

const ids = 1000 // in a question

// world is the program and nginx, ready to give the same answers.
type world struct {
	cards    int
	ours     *lab.Service
	nginx    *lab.Nginx
	requests []lab.Request // to us; bodies of them
	size     sizes
}

// sizes are the bytes of all answers together.
type sizes struct{ plain, gzip, zstd, nginx, static float64 }

// locations serves the answers in every way that is compared. A POST is no
// method for a file: nginx is told to answer it as a GET.
const locations = `
    location /plain/ { alias FILES/; error_page 405 =200 $uri; }
    location /sendfile/ { alias FILES/; error_page 405 =200 $uri; sendfile on; tcp_nopush on; }
    location /gzip/ { alias FILES/; error_page 405 =200 $uri;
      gzip on; gzip_comp_level 1; gzip_types application/json; gzip_buffers 64 32k; }
    location /static/ { alias FILES/; error_page 405 =200 $uri; gzip_static on; }
`

// newWorld starts both and gives nginx what the program answers. What it
// returns has to be stopped, with an error too.
func newWorld(ctx context.Context, l *lab.Lab) (*world, error) {
	c, err := l.Catalog(ctx, lab.Pick(l, 20_000, 100_000), 4)
	if err != nil {
		return &world{}, err
	}
	w := &world{cards: c.View.Len()}
	if w.ours, err = l.Serve(ctx, c); err != nil {
		return w, err
	}
	w.requests = questions(l, c, w.ours.Keys)
	dir := filepath.Join(l.Dir, "answers")
	if err := w.store(ctx, dir); err != nil {
		return w, err
	}
	w.nginx, err = l.Nginx(ctx, strings.ReplaceAll(locations, "FILES", dir))
	return w, err
}

func (w *world) stop() {
	if w.nginx != nil {
		w.nginx.Stop()
	}
	if w.ours != nil {
		w.ours.Stop()
	}
}

// questions are POST requests with random ids, keys in turn.
func questions(l *lab.Lab, c *lab.Catalog, keys []string) []lab.Request {
	var list []lab.Request
	for n, set := range c.DrawIDs(l.Rng(11), lab.Pick(l, 16, 64), ids) {
		list = append(list, lab.Request{
			Method: "POST", Path: "/api/v1/catalog/prices", Body: lab.PricesBody(set),
			Header: []string{"Content-Type: application/json", "Authorization: Bearer " + keys[n%len(keys)]},
		})
	}
	return list
}

// coded is the same request, asking for a coding.
func coded(r lab.Request, coding string) lab.Request {
	r.Header = append(r.Header[:len(r.Header):len(r.Header)], "Accept-Encoding: "+coding)
	return r
}

// fileOf is what nginx is asked for in place of the n-th question.
func fileOf(r lab.Request, n int, method, location string) lab.Request {
	r.Method, r.Path = method, fmt.Sprintf("/%s/%d.json", location, n)
	if method == "GET" {
		r.Body = ""
	}
	return r
}

// store writes the plain answers, and level 6 gzip beside them, as files.
func (w *world) store(ctx context.Context, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for n, r := range w.requests {
		body, _, err := r.Fetch(ctx, w.ours.URL)
		if err != nil {
			return err
		}
		w.size.plain += float64(len(body))
		file := filepath.Join(dir, fmt.Sprintf("%d.json", n))
		if err := os.WriteFile(file, body, 0o644); err != nil {
			return err
		}
		packed := packed(body)
		w.size.static += float64(len(packed))
		if err := os.WriteFile(file+".gz", packed, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func packed(body []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(body) // into memory
	_ = z.Close()
	return b.Bytes()
}

// check compares every way of every answer with the plain one, and counts bytes.
func (w *world) check(ctx context.Context) error {
	for n, r := range w.requests {
		plain, _, err := fileOf(r, n, "GET", "plain").Fetch(ctx, w.nginx.URL)
		if err != nil {
			return err
		}
		if err := w.checkOurs(ctx, r, plain); err != nil {
			return fmt.Errorf("question %d: %w", n, err)
		}
		if err := w.checkNginx(ctx, r, n, plain); err != nil {
			return fmt.Errorf("question %d: %w", n, err)
		}
	}
	return nil
}

func (w *world) checkOurs(ctx context.Context, r lab.Request, plain []byte) error {
	for _, way := range []struct {
		coding string
		size   *float64
	}{{"identity", new(float64)}, {"gzip", &w.size.gzip}, {"zstd", &w.size.zstd}} {
		body, err := fetch(ctx, w.ours.URL, coded(r, way.coding), way.coding, way.size)
		if err != nil {
			return err
		}
		if err := sameItems(body, plain); err != nil {
			return fmt.Errorf("our %s: %w", way.coding, err)
		}
	}
	return nil
}

func (w *world) checkNginx(ctx context.Context, r lab.Request, n int, plain []byte) error {
	for _, way := range []struct {
		method, location, coding string
		size                     *float64
	}{
		{"POST", "plain", "identity", new(float64)}, {"GET", "sendfile", "identity", new(float64)},
		{"POST", "gzip", "gzip", &w.size.nginx}, {"POST", "static", "gzip", new(float64)},
	} {
		body, err := fetch(ctx, w.nginx.URL, coded(fileOf(r, n, way.method, way.location), way.coding), way.coding, way.size)
		if err != nil {
			return err
		}
		if !bytes.Equal(body, plain) {
			return fmt.Errorf("nginx %s %s: not our bytes", way.method, way.location)
		}
	}
	return nil
}

// fetch gives the decoded body, which must have come in the coding asked for,
// and adds its coded size.
func fetch(ctx context.Context, base string, r lab.Request, coding string, size *float64) ([]byte, error) {
	body, header, err := r.Fetch(ctx, base)
	if err != nil {
		return nil, err
	}
	if got := header.Get("Content-Encoding"); got != coding && (coding != "identity" || got != "") {
		return nil, fmt.Errorf("%s%s: content coding %q, asked for %s", base, r.Path, got, coding)
	}
	*size += float64(len(body))
	return decoded(body, coding)
}

func decoded(body []byte, coding string) ([]byte, error) {
	switch coding {
	case "gzip":
		z, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		return io.ReadAll(z)
	case "zstd":
		z, err := zstd.NewReader(nil)
		if err != nil {
			return nil, err
		}
		defer z.Close()
		return z.DecodeAll(body, nil)
	}
	return body, nil
}

// sameItems compares two answers byte by byte, but their meta, where a request
// has its id, its time and its place in the windows. It stands at the end.
func sameItems(got, want []byte) error {
	a, b := beforeMeta(got), beforeMeta(want)
	if !json.Valid(got) || len(a) == 0 {
		return errors.New("no whole answer")
	}
	if found := fmt.Appendf(nil, `"resolved":%d,`, ids); !bytes.Contains(a, found) {
		return fmt.Errorf("not all of %d ids were found", ids)
	}
	if !bytes.Equal(a, b) {
		return errors.New("another answer than before")
	}
	return nil
}

func beforeMeta(body []byte) []byte {
	return body[:max(0, bytes.LastIndex(body, []byte(`,"meta":{`)))]
}

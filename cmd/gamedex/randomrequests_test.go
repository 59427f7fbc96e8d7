package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"gamedex/internal/api/bulk"
	"gamedex/internal/testing/apitest"
)

// TestRandomRequests sends requests whose parameters, headers and bodies are random,
// some of them not valid text. It checks that every answer comes soon and is
// not a 500, and that a refusal is in the envelope and explains what is wrong.
func TestRandomRequests(t *testing.T) {
	t.Parallel()
	c := newCampaign(t)
	dir := t.TempDir()
	must(t, dir, newStock(40, "UA", "TR", "PL", "IN").feed(0), "import", "-")
	must(t, dir, `{"base":"USD","rates":{"UAH":41.2,"TRY":34.5},"updatedAt":"2026-11-20T03:00:00Z"}`, "rates", "import", "--partial", "-")
	_, token := newKey(t, dir, unlimited...)
	s := start(t, dir)
	s.healthy()
	statuses := map[int]int{}
	for i := range number(t, requestsVariable, 3000) {
		request, cut := c.request(token)
		statuses[sendRaw(t, s, request, cut)]++
		if t.Failed() {
			t.Fatalf("request %d:\n%q", i, request)
		}
	}
	t.Logf("answers by status: %v", statuses)
	for _, status := range []int{200, 400, 401, 404, 405, 413, 415} {
		if statuses[status] == 0 {
			t.Errorf("no request was answered with %d: the campaign is too narrow", status)
		}
	}
	s.quietLog()
	if status, body := s.get("", "/api/v1/health"); status != http.StatusOK {
		t.Errorf("health after all: %d %s", status, body)
	}
	s.stopInOrder()
}

// sendRaw sends a raw request on a new connection, checks the answer and
// returns its status. It closes the sending side of a request that is cut
// short, which may cancel the work on it.
func sendRaw(t *testing.T, s *server, request []byte, cut bool) int {
	t.Helper()
	conn := s.dial()
	defer conn.Close()
	_, sent := conn.Write(request) // may fail: the server need not read a refused request to its end
	if cut {
		conn.(*net.TCPConn).CloseWrite() // otherwise the server waits for the rest
	}
	method, _, _ := bytes.Cut(request, []byte(" "))
	r, err := readReply(bufio.NewReader(conn), string(method))
	byHTTP := r.status != 0 && r.header.Get("X-Request-Id") == ""
	switch {
	case byHTTP && slices.Contains(refusedByHTTP, r.status):
		// The HTTP server refused the request before any handler: no envelope,
		// no request id, and possibly a cut connection if the client is still
		// sending.
	case err != nil:
		t.Errorf("status %d: %v; sent: %v", r.status, err, sent)
	case !cut || r.status != http.StatusServiceUnavailable:
		checkAnyAnswer(t, string(method), r)
	}
	return r.status
}

// readReply reads and decompresses an answer, and skips informational (1xx)
// ones.
func readReply(in *bufio.Reader, method string) (r reply, err error) {
	for r.status < 200 {
		res, err := http.ReadResponse(in, &http.Request{Method: method})
		if err != nil {
			return reply{}, err
		}
		defer res.Body.Close()
		r = reply{status: res.StatusCode, header: res.Header}
		body, err := io.ReadAll(res.Body)
		if err == nil {
			body, err = apitest.Unpack(res.Header.Get("Content-Encoding"), body)
		}
		if r.body = string(body); err != nil {
			return r, err
		}
	}
	return r, nil
}

// refusedByHTTP holds the statuses with which the HTTP server refuses malformed
// requests.
var refusedByHTTP = []int{400, 417, 431, 501, 505}

func checkAnyAnswer(t *testing.T, method string, r reply) {
	t.Helper()
	switch {
	case r.header.Get("X-Request-Id") == "":
		t.Errorf("status %d without a request id: %.300q", r.status, r.body)
	case r.status >= 500:
		t.Errorf("status %d %s", r.status, r.body)
	case method == http.MethodHead, r.status == http.StatusNoContent, r.status == http.StatusNotModified:
		if r.body != "" {
			t.Errorf("status %d with a body: %.300q", r.status, r.body)
		}
	case !utf8.ValidString(r.body) || !json.Valid([]byte(r.body)):
		t.Errorf("status %d: no JSON: %.300q", r.status, r.body)
	case r.status >= 400:
		checkDetails(t, r)
	case r.status != http.StatusOK || !strings.HasPrefix(r.body, `{"ok":true`):
		t.Errorf("status %d %.300s", r.status, r.body)
	}
}

// statusOf maps the error codes that random requests may get to their statuses.
var statusOf = map[string]int{
	"INVALID_PARAMS": 400, "ids_required": 400, "too_many_ids": 400,
	"UNAUTHORIZED": 401, "api_key_missing": 401, "api_key_invalid": 401,
	"GAME_NOT_FOUND": 404, "NOT_FOUND": 404, "METHOD_NOT_ALLOWED": 405,
	"PAYLOAD_TOO_LARGE": 413, "UNSUPPORTED_MEDIA_TYPE": 415,
}

// constraints lists every constraint that INVALID_PARAMS may name.
var constraints = regexp.MustCompile(`^(required|encoding|json|string|array|integer|boolean|country|currency|` +
	`(minLength|maxLength|min|max):\d+|enum:[a-z,]+)$`)

// checkDetails checks that an error explains what is wrong.
func checkDetails(t *testing.T, r reply) {
	t.Helper()
	f := r.failure(t)
	if statusOf[f.Error.Code] != r.status {
		t.Errorf("status %d with code %s", r.status, f.Error.Code)
	}
	var missing []string
	need := func(names ...string) {
		for _, name := range names {
			if _, there := f.Error.Details[name]; !there {
				missing = append(missing, name)
			}
		}
	}
	switch f.Error.Code {
	case "INVALID_PARAMS":
		need("field", "value", "constraint")
		if named, _ := f.Error.Details["constraint"].(string); !constraints.MatchString(named) {
			t.Errorf("constraint %q", named)
		}
	case "GAME_NOT_FOUND":
		need("gameId")
	case "METHOD_NOT_ALLOWED":
		if r.header.Get("Allow") == "" {
			t.Error("405 without Allow")
		}
	}
	if len(missing) > 0 {
		t.Errorf("details %v lack %v", f.Error.Details, missing)
	}
}

// Words that requests are made of, besides random bytes.
var (
	anyPaths = []string{
		"health", "account/me", "account/usage", "catalog/exchange-rates", "catalog/platforms", "catalog/search",
		"catalog/suggest", "catalog/games/game-00000", "catalog/pcstore/games/game-00000", "catalog/prices", "catalog/prices",
		"", "catalog", "catalog/games/", "catalog/pcstore/games", "catalog/games/a/b", "catalog//prices", "catalog/prices/",
	}
	anyMethods    = []string{"GET", "GET", "HEAD", "HEAD", "POST", "OPTIONS", "PUT", "DELETE", "TRACE", "get", "X"}
	anyParameters = []string{"q", "platform", "limit", "offset", "includeRelated", "includeMembers", "ids", "regions", "include", "currency", "Q", "x"}
	anyValues     = []string{
		"game", "ga", "g", "", "  ", "consolestore", "pcstore", "all", "auto", "ALL", "0", "1", "-1", "100", "101", "1e3", "+5", "0x10",
		"99999999999999999999", "true", "FALSE", "yes", "game-00000", "game-00000,game-00002", ";,\n ", "UA", "UKR", "tr,pl", "XX", "U", "EUR", "uah", "XBT",
		"image", strings.Join(bulk.BlockNames[:], ","), "editions", "fx;fx", "none", "null", "[]", "{}", `"`, "\\u0000", "Игра", "ゲーム", "ａ", "İ",
		strings.Repeat("a", 201), strings.Repeat("a,", 600), strings.Repeat("é", 5000),
	}
	goodPairs = []string{
		"q=game", "q=Game+00001", "q=%D0%98%D0%B3%D1%80%D0%B0", "platform=pcstore", "platform=all", "limit=20", "limit=1", "offset=3", "includeRelated=1",
		"includeMembers=true", "ids=game-00000", "ids=game-00000%20x;y,z", "ids=%0A%00", "regions=UA", "regions=all", "regions=UKR,tr", "include=url", "include=fx,meta", "currency=TRY",
	}
	goodMembers = []string{
		`"ids":["game-00000","x"]`, `"ids":"game-00000;game-00002"`, `"ids":["\ud83d\ude00\u0000"]`, `"platform":"auto"`, `"platform":null`,
		`"regions":"all"`, `"regions":["ua","POL"]`, `"include":["url","image"]`, `"include":"editions"`, `"currency":"uah"`, `"x":[{"y":[]}]`,
	}
	anyHeaders = []string{
		"Accept", "Accept-Encoding", "Accept-Encoding", "Content-Type", "Content-Type", "Content-Encoding", "If-None-Match", "X-Request-Id", "X-Api-Key", "Authorization",
		"Content-Length", "Transfer-Encoding", "Expect", "Range", "Connection", "Host", "Cookie", "Origin", "Te", "Upgrade", "X-Forwarded-For",
	}
	anyHeaderValues = []string{
		"application/json", "text/plain", "application/json; charset=utf-8", "application/x+json", "gzip", "zstd, gzip;q=0.5", "*", "identity;q=0, *;q=0",
		`W/"x"`, `"x", W/"y"`, "Bearer x", "Bearer", "Basic eA==", "chunked", "100-continue", "bytes=0-5", "close", "0", "5", "-1", "2000000", "h2c",
	}
)

func pick(c campaign, from []string) string { return from[c.IntN(len(from))] }

// bytes returns random bytes, or a word with some of its bytes changed.
func (c campaign) bytes() []byte {
	if c.IntN(3) == 0 {
		b := make([]byte, c.IntN(40))
		for i := range b {
			b[i] = byte(c.IntN(256))
		}
		return b
	}
	b := []byte(pick(c, anyValues))
	for range c.IntN(3) {
		if len(b) > 0 {
			b[c.IntN(len(b))] = byte(c.IntN(256))
		}
	}
	return b
}

// value returns a word or random bytes.
func (c campaign) value() []byte {
	if c.IntN(2) == 0 {
		return []byte(pick(c, anyValues))
	}
	return c.bytes()
}

// escaped encodes bytes for a URL: escaped, with broken escapes, or raw except
// for bytes that would end the request line.
func (c campaign) escaped(b []byte) string {
	var out strings.Builder
	raw := c.IntN(4) == 0
	for _, x := range b {
		switch {
		case raw && x > ' ' && x != 0x7f, x >= '0' && x <= '9', x >= 'a' && x <= 'z', x >= 'A' && x <= 'Z':
			out.WriteByte(x)
		case c.IntN(60) == 0:
			out.WriteString([]string{"%", "%2", "%zz", "%C3%28", "%00"}[c.IntN(5)])
		default:
			fmt.Fprintf(&out, "%%%02X", x)
		}
	}
	return out.String()
}

// target returns a path with some parameters.
func (c campaign) target() string {
	path := "/api/v1/" + pick(c, anyPaths)
	switch c.IntN(6) {
	case 0:
		path = "/api/v1/catalog/games/" + c.escaped(c.bytes())
	case 1:
		path = "/api/v1/catalog/pcstore/games/" + c.escaped(c.bytes())
	case 2:
		if c.IntN(3) == 0 {
			path += "/" + c.escaped(c.bytes())
		}
	}
	query := []string{}
	for range c.IntN(5) {
		if c.IntN(3) > 0 {
			query = append(query, pick(c, goodPairs))
			continue
		}
		name := pick(c, anyParameters)
		if c.IntN(10) == 0 {
			name = c.escaped(c.bytes())
		}
		query = append(query, name+"="+c.escaped(c.value()))
	}
	if len(query) > 0 {
		path += "?" + strings.Join(query, "&")
	}
	return path
}

// body returns a JSON object of bulk parameters, valid or broken, or random
// bytes.
func (c campaign) body() []byte {
	if c.IntN(5) == 0 {
		return c.bytes()
	}
	if c.IntN(25) == 0 {
		return bytes.Repeat([]byte(" "), 1<<20+c.IntN(1<<20))
	}
	var members []string
	for range c.IntN(5) {
		if c.IntN(3) > 0 {
			members = append(members, pick(c, goodMembers))
			continue
		}
		text, _ := json.Marshal(string(c.value()))
		value := []string{string(text), string(text), `[` + string(text) + `,"game-00000"]`, "null", "1", "true", "{}", "[1]",
			strings.Repeat("[", 200), `"\ud800"`, string(c.bytes())}[c.IntN(11)]
		members = append(members, fmt.Sprintf(`"%s":%s`, pick(c, anyParameters), value))
	}
	b := []byte("{" + strings.Join(members, ",") + "}")
	if c.IntN(4) == 0 {
		b = b[:c.IntN(len(b)+1)]
	}
	return b
}

// headers returns random header lines.
func (c campaign) headers() []byte {
	var out bytes.Buffer
	for range 1 + c.IntN(3) {
		value := []byte(pick(c, anyHeaderValues))
		switch c.IntN(50) {
		case 0:
			value = bytes.Repeat([]byte("x"), 170<<10)
		case 1, 2, 3, 4, 5, 6, 7, 8:
			value = c.bytes()
		}
		fmt.Fprintf(&out, "%s: %s\r\n", pick(c, anyHeaders), oneLine(value))
	}
	return out.Bytes()
}

// oneLine removes line breaks and keeps every other byte.
func oneLine(b []byte) []byte {
	return slices.DeleteFunc(slices.Clone(b), func(x byte) bool { return x == '\r' || x == '\n' })
}

// request returns a request as it goes over the wire. Most have a valid key, so
// that the checks after authentication are tried. Some lack a part of the body.
func (c campaign) request(token string) (request []byte, cut bool) {
	var out bytes.Buffer
	method, target, body := pick(c, anyMethods), c.target(), c.body()
	switch c.IntN(3) {
	case 0:
		method, body = "GET", nil
	case 1:
		method, target = "POST", "/api/v1/catalog/prices"
	}
	fmt.Fprintf(&out, "%s %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n", method, target)
	switch c.IntN(10) {
	case 0:
		fmt.Fprintf(&out, "Authorization: Bearer %s\r\n", oneLine(c.bytes()))
	case 1:
		fmt.Fprintf(&out, "X-Api-Key: %s\r\n", token)
	default:
		fmt.Fprintf(&out, "Authorization: Bearer %s\r\n", token)
	}
	if c.IntN(3) == 0 {
		more := c.headers()
		cut = bytes.Contains(more, []byte("Content-Length")) || bytes.Contains(more, []byte("Transfer-Encoding"))
		out.Write(more)
	}
	promised := len(body)
	if c.IntN(20) == 0 {
		promised, cut = promised+1+c.IntN(100), true
	}
	if promised > 0 {
		fmt.Fprintf(&out, "Content-Type: application/json\r\nContent-Length: %d\r\n", promised)
	}
	fmt.Fprintf(&out, "\r\n%s", body)
	return out.Bytes(), cut
}

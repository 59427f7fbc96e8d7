package mcp

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n"

// TestHostileLines sends lines that no client should send. The server goes on and answers the calls before and
// after; it never repeats a long text.
func TestHostileLines(t *testing.T) {
	t.Parallel()
	address := serving(t, plain(200, `{"data":{"results":[],"total":0}}`))
	call := func(arguments string) string {
		return `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"find_games","arguments":` + arguments + `}}`
	}
	long := strings.Repeat("a", 200<<10)
	for name, tt := range map[string]struct {
		line string
		says string // in the answers
	}{
		"a huge line":             {call(`{"query":"` + strings.Repeat("a", 2*maxLine) + `"}`), `"id":null,"error":{"code":-32700`},
		"a long text":             {call(`{"query":"` + long + `"}`), `"id":2,`},
		"a long unknown argument": {call(`{"` + long + `":1}`), `"isError":true`},
		"arguments of no kind":    {call(`"` + long + `"`), `"id":2,`},
		"parameters of no kind":   {`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":5,"arguments":"` + long + `"}}`, `"code":-32602`},
		"a long tool":             {`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"` + long + `"}}`, `unknown tool`},
		"a long method":           {`{"jsonrpc":"2.0","id":2,"method":"` + long + `"}`, `"code":-32601`},
		"an unknown notification": {`{"jsonrpc":"2.0","method":"notifications/nothing"}`, ""},
		"no parameters":           {`{"jsonrpc":"2.0","id":2,"method":"tools/call"}`, `"code":-32600`},
		"an answer to nothing":    {`{"jsonrpc":"2.0","id":77,"result":{}}`, ""},
		"a second beginning":      {strings.TrimSpace(hello), ""},
		"cancelling an object":    {`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}`, ""},
		"invalid UTF-8":           {call(`{"query":"` + "\xff\xc3(\xed\xa0\x80" + `"}`), `"id":2,`},
		"half a surrogate pair":   {call(`{"query":"\ud800"}`), `"id":2,`},
		"a zero":                  {call(`{"query":"\u0000"}`), `"id":2,`},
		"deep arrays":             {call(`{"query":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}`), `"id":null,"error":{"code":-32700`},
		"deep objects":            {call(strings.Repeat(`{"a":`, 5000) + "1" + strings.Repeat("}", 5000)), `"id":null,"error":{"code":-32600`},
		"cut off":                 {`{"jsonrpc":"2.0","id":2,`, `"id":null,"error":{"code":-32700`},
		"no JSON":                 {"hello", `"id":null,"error":{"code":-32700`},
		"no object":               {"5", `"id":null,"error":{"code":-32600`},
		"an empty batch":          {"[]", `"id":null,"error":{"code":-32600`},
		"another version":         {`{"jsonrpc":"1.0","id":2,"method":"tools/list"}`, `"id":null,"error":{"code":-32600`},
		"an object as id":         {`{"jsonrpc":"2.0","id":{},"method":"tools/list"}`, `"id":null,"error":{"code":-32600`},
		"two calls in a line":     {call(`{}`) + call(`{}`), `"id":null,"error":{"code":-32700`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			in := strings.NewReader(hello + tt.line + "\n" + strings.Replace(call(`{"query":"next"}`), `"id":2`, `"id":9`, 1) + "\n")
			if err := Run(t.Context(), NewClient(func() (string, error) { return address, nil }, "k"), "1", in, &out); err != nil {
				t.Errorf("the server ends with %.500s", err)
			}
			if answers := out.String(); len(answers) > defaultKB<<10 || !strings.Contains(answers, `"id":1,"result"`) || !strings.Contains(answers, `"id":9,"result"`) || !strings.Contains(answers, tt.says) {
				t.Errorf("the answers have %d bytes and lack %q, the first or the last: %.2000s", len(answers), tt.says, answers)
			}
		})
	}
}

// TestBrokenInput ends the server with the error of its input, after what came before is answered.
func TestBrokenInput(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	broken := io.MultiReader(strings.NewReader("no JSON\n\r\n "+hello), iotest.ErrReader(errors.New("a broken disk")))
	err := Run(t.Context(), NewClient(nil, ""), "1", broken, &out)
	if err == nil || !strings.Contains(err.Error(), "a broken disk") || strings.Count(out.String(), "\n") != 2 || !strings.Contains(out.String(), `"id":1,"result"`) {
		t.Errorf("the server ends with %v after %s", err, &out)
	}
}

// flood is a connection of a client that sends calls and nothing else.
type flood struct {
	sdk.Connection
	calls int
}

func (f *flood) Read(context.Context) (jsonrpc.Message, error) {
	f.calls++
	id, err := jsonrpc.MakeID(float64(f.calls))
	return &jsonrpc.Request{ID: id, Method: "ping"}, err
}

func (f *flood) Write(context.Context, jsonrpc.Message) error { return nil }

func (f *flood) Close() error { return nil }

// TestClientThatNeverReads checks that calls without answers are bounded, that each answer lets one more in, and that
// the end of the connection ends the waiting.
func TestClientThatNeverReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, read := newAnswering(&flood{}, nil), 0
		go func() {
			for {
				if _, err := c.Read(t.Context()); err != nil {
					return
				}
				read++
			}
		}()
		synctest.Wait()
		if read != maxOpen {
			t.Errorf("%d calls were read, want %d", read, maxOpen)
		}
		for _, answered := range []float64{1, 1, 7} { // the second answer to a call is to none
			id, err := jsonrpc.MakeID(answered)
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Write(t.Context(), &jsonrpc.Response{ID: id}); err != nil {
				t.Error(err)
			}
		}
		synctest.Wait()
		if read != maxOpen+2 {
			t.Errorf("%d calls were read after two answers, want %d", read, maxOpen+2)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
}

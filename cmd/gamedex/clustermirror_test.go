package main

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/google/go-cmp/cmp"
)

// mirror is a client that keeps prices by changedSince, and asks another node each time.
type mirror struct {
	path, cursor   string
	items          map[string]any
	compared, left int
}

type mirrored struct {
	Counts struct{ Unchanged int }
	Data   struct {
		Items    []map[string]any
		NotFound []string
	}
	Meta struct{ Cursor string }
}

// follow asks a node what has changed, and compares the mirror with the whole answers of
// that node before and after, if these are the same.
func (c *cluster) follow(m *mirror, node int, token string) {
	c.t.Helper()
	before, _ := c.ask(node, token, m.path)
	changed, status := c.ask(node, token, m.path+"&changedSince="+m.cursor)
	if status == http.StatusServiceUnavailable { // the node is behind another one
		return
	}
	after, _ := c.ask(node, token, m.path)
	for _, item := range changed.Data.Items {
		m.items[item["id"].(string)] = item
	}
	for _, id := range changed.Data.NotFound {
		delete(m.items, id)
	}
	m.cursor, m.left = changed.Meta.Cursor, m.left+changed.Counts.Unchanged
	all := map[string]any{}
	for _, item := range after.Data.Items {
		all[item["id"].(string)] = item
	}
	if !cmp.Equal(before.Data, after.Data) {
		return
	}
	m.compared++
	if d := cmp.Diff(withoutVolatile(all), withoutVolatile(m.items)); d != "" {
		c.t.Errorf("node %d, %s (-whole +mirror):\n%s", node, m.path, d)
	}
}

func (c *cluster) ask(node int, token, path string) (m mirrored, status int) {
	c.t.Helper()
	r, err := c.counted.all[node].try(http.DefaultClient, "GET", token, "/api/v1"+path, "")
	if err == nil {
		err = json.Unmarshal([]byte(r.body), &m)
	}
	if err != nil || r.status != http.StatusOK && (r.status != http.StatusServiceUnavailable || !strings.Contains(path, "changedSince")) {
		c.t.Fatalf("%s: status %d, %v: %.300q", path, r.status, err, r.body)
	}
	return m, r.status
}

// withoutVolatile returns items without what may be out of date in games that were left out.
func withoutVolatile(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, member := range v {
			if !strings.Contains(" usd converted cheapest pricedAt updatedAt lows ", " "+name+" ") {
				out[name] = withoutVolatile(member)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = withoutVolatile(v[i])
		}
		return out
	}
	return v
}

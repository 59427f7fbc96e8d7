package openindex

import (
	"strconv"
	"strings"

	"gamedex/bench/published"
	"gamedex/bench/report"
	"gamedex/internal/index"
	"gamedex/internal/snapshot"
)

// sizes lists the sections of both blobs, and gives the bytes of a region
// price: everything in the prices blob but its strings.
func sizes(b published.Blobs, rows int) (report.Table, float64, error) {
	t := report.Table{Caption: "Where the bytes are:", Head: []string{"blob", "section", "bytes", "a region price"}}
	numbers := 0
	for _, blob := range []struct {
		kind string
		data []byte
	}{{"catalog", b.Catalog}, {"prices", b.Prices}} {
		f, err := snapshot.Open(blob.data, blob.kind, index.Format)
		if err != nil {
			return t, 0, err
		}
		for _, name := range f.Names() {
			body, err := f.Section(name)
			if err != nil {
				return t, 0, err
			}
			if blob.kind == "prices" && !strings.Contains(name, "strings") {
				numbers += len(body)
			}
			t.Rows = append(t.Rows, []string{blob.kind, name, strconv.Itoa(len(body)), perRow(len(body), rows)})
		}
	}
	all := len(b.Catalog) + len(b.Prices)
	t.Rows = append(t.Rows, []string{"both", "all", strconv.Itoa(all), perRow(all, rows)})
	return t, float64(numbers) / float64(rows), nil
}

func perRow(bytes, rows int) string {
	return strconv.FormatFloat(float64(bytes)/float64(rows), 'f', 2, 64)
}

// Package judged measures how well search finds what people mean: the judged
// queries of internal/search/testdata/quality, asked of our index, of bleve in
// its best set-up with prefixes and typos, and of SQLite's FTS5. The ranking
// was tuned on one half of the list only; the other half is the figure.
package judged

package alternatives

import (
	"context"
	"io/fs"
	"path/filepath"
	"time"
)

// Title is a document of a search: the name of a card, and perhaps a Russian one.
type Title struct{ Name, Russian string }

// all returns the names that are not empty.
func (t Title) all() []string {
	if t.Russian == "" {
		return []string{t.Name}
	}
	return []string{t.Name, t.Russian}
}

// QueryKind is a kind of query. An engine may use the cheapest query that answers
// it.
type QueryKind string

// The kinds of queries.
const (
	Exact    QueryKind = "exact"     // a whole title
	TwoWords QueryKind = "two words" // of one title
	Prefix   QueryKind = "prefix"    // of a word
	Typo     QueryKind = "typo"      // a word with one edit
	Russian  QueryKind = "Russian"   // a word of a Russian title
)

// SearchLimit is how many documents a search returns.
const SearchLimit = 10

// SearchEngine is an index of titles.
type SearchEngine struct {
	Bytes int64         // size of the index
	Built time.Duration // how long building it took
	// Search returns how long a query took, and the numbers of the best documents.
	Search func(kind QueryKind, text string) (time.Duration, []int, error)
	Close  func() error
}

// BulkPrices answers with the items of cards, as a JSON array.
type BulkPrices interface {
	Items(ctx context.Context, ids []string) ([]byte, error)
}

func folderSize(dir string) (int64, error) {
	var bytes int64
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			bytes += info.Size()
		}
		return err
	})
	return bytes, err
}

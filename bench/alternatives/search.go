package alternatives

import (
	"context"
	"io/fs"
	"path/filepath"
	"time"

	"gamedex/bench/sample"
)

// SearchLimit is how many documents a search returns.
const SearchLimit = 10

// SearchEngine is an index of titles.
type SearchEngine struct {
	Bytes int64         // size of the index
	Built time.Duration // how long building it took
	// Search runs the cheapest query that the engine has for a kind. It returns how long that
	// took, and the numbers of the best documents.
	Search func(kind sample.QueryKind, text string) (time.Duration, []int, error)
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

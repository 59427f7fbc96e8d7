package build

import (
	"context"
	"fmt"
	"strings"

	"gamedex/internal/catalog/merge"
)

// Explain merges what the database has now and describes how the card with this
// id was made. For a product id it describes the cards that have the product.
func Explain(ctx context.Context, from Source, overrides merge.Overrides, id string) (string, error) {
	t := newListingTable()
	if err := from.Read(ctx, t.update); err != nil {
		return "", fmt.Errorf("read listings: %w", err)
	}
	cards := merge.Explain(t.entries, overrides, id)
	if len(cards) == 0 {
		return "", fmt.Errorf("no card and no product has the id %q", id)
	}
	var text strings.Builder
	for _, card := range cards {
		text.WriteString(card.String())
	}
	return text.String(), nil
}

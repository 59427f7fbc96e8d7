package build

import (
	"fmt"

	"gamedex/internal/catalog"
)

// proseCache holds the prose that the cards of the last build show; most cards
// show the same the next time.
type proseCache struct {
	held map[catalog.ProseID]*catalog.Prose
}

func newProseCache() *proseCache {
	return &proseCache{held: map[catalog.ProseID]*catalog.Prose{}}
}

// load makes the cache hold exactly what the cards show.
func (c *proseCache) load(r Reading, t *listingTable, cards []catalog.Card) error {
	wanted := map[catalog.ProseID]*catalog.Prose{}
	numbers := map[int64]catalog.ProseID{}
	var missing []int64
	for i := range cards {
		for _, id := range cards[i].Prose.IDs() {
			if _, seen := wanted[id]; seen || id == 0 {
				continue
			}
			held := c.held[id]
			wanted[id] = held
			if held == nil {
				missing = append(missing, t.rowIDs[id])
				numbers[t.rowIDs[id]] = id
			}
		}
	}
	err := r.Prose(missing, func(row int64, p *catalog.Prose) error {
		wanted[numbers[row]] = p
		return nil
	})
	if err != nil {
		return fmt.Errorf("read prose: %w", err)
	}
	for id, p := range wanted {
		if p == nil {
			return fmt.Errorf("prose %d does not exist", t.rowIDs[id])
		}
	}
	c.held = wanted
	return nil
}

package consolestore

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"gamedex/internal/catalog"
	"gamedex/internal/sweep"
)

// gridVariables are the variables of a grid query, which include nulls and empty lists.
type gridVariables struct {
	ID           string   `json:"id"`
	PageArgs     pageArgs `json:"pageArgs"`
	SortBy       *string  `json:"sortBy"`
	FilterBy     []string `json:"filterBy"`
	FacetOptions []string `json:"facetOptions"`
}

type pageArgs struct {
	Size   int `json:"size"`
	Offset int `json:"offset"`
}

type gridAnswer struct {
	Concepts []json.RawMessage `json:"concepts"`
	PageInfo *pageInfo         `json:"pageInfo"`
}

// position is the position of a sweep in a grid. Pages overlap by one entry: if a page
// does not begin with the last entry of the page before, the grid has shifted between the
// two requests, and entries may have been missed.
type position struct {
	locale string
	offset int
	total  int64  // according to the first page
	last   string // the entry at offset; empty: not known
}

// String returns the position as a cursor.
func (p position) String() string {
	return fmt.Sprintf("%s|%d|%d|%s", p.locale, p.offset, p.total, p.last)
}

// parsePosition parses a cursor in one of the locales. ok is false for an invalid cursor,
// for example after a change of the profile; then the sweep starts again.
func parsePosition(cursor string, locales []string) (p position, ok bool) {
	start := position{locale: locales[0]}
	if cursor == "" {
		return start, true
	}
	words := strings.SplitN(cursor, "|", 4)
	if len(words) != 4 || !slices.Contains(locales, words[0]) {
		return start, false
	}
	offset, err := strconv.Atoi(words[1])
	total, err2 := strconv.ParseInt(words[2], 10, 64)
	if err != nil || err2 != nil || offset < 0 || offset > maxGrid || total < 0 {
		return start, false
	}
	return position{words[0], offset, total, words[3]}, true
}

// maxGrid is larger than the number of entries of any grid.
const maxGrid = 1_000_000

type gridPage struct {
	concepts    []concept
	next        *position // nil: last page
	interrupted bool
}

func (s *Store) readGrid(ctx context.Context, at position) (gridPage, error) {
	a, err := s.query(ctx, at.locale, "categoryGridRetrieve", s.cfg.Profile.Operations.Grid, gridVariables{
		ID: s.cfg.Profile.Category, PageArgs: pageArgs{s.cfg.Profile.PageSize, at.offset}, FilterBy: []string{}, FacetOptions: []string{},
	})
	if err != nil {
		return gridPage{}, err
	}
	var grid gridAnswer
	gone, err := s.object(a, "categoryGridRetrieve", &grid)
	switch {
	case err != nil:
		return gridPage{}, err
	case gone:
		return gridPage{}, s.lacks(a, "categoryGridRetrieve")
	case grid.PageInfo == nil || !grid.PageInfo.Total.known:
		return gridPage{}, s.lacks(a, "pageInfo.totalCount")
	}
	total := grid.PageInfo.Total.n
	if len(grid.Concepts) == 0 && (total == 0 || int64(at.offset) < total) {
		return gridPage{}, s.broken(errors.New("the region is empty"))
	}
	// A store that ignores the offset repeats the page before forever. The
	// entries of a short page may only have shifted.
	if n := len(grid.Concepts); at.last != "" && n >= 10 && conceptID(grid.Concepts[0]) != at.last && conceptID(grid.Concepts[n-1]) == at.last {
		return gridPage{}, s.broken(fmt.Errorf("the page at %d is the same as the page before it", at.offset))
	}
	page := at.page(&grid, total)
	if len(page.concepts) == 0 && len(grid.Concepts) > 2 {
		return gridPage{}, s.broken(errors.New("no entry of the page can be read"))
	}
	page.interrupted = page.interrupted || a.interrupted
	return page, nil
}

func (p position) page(grid *gridAnswer, total int64) gridPage {
	var page gridPage
	if p.offset == 0 {
		p.total = total
	}
	found := len(grid.Concepts)
	end := p.offset + found
	isLast := grid.PageInfo.IsLast != nil && *grid.PageInfo.IsLast
	page.interrupted = total != p.total || isLast && int64(end) < total

	entries := grid.Concepts
	if p.offset > 0 && found > 0 {
		if p.last != "" && conceptID(entries[0]) == p.last {
			entries = entries[1:]
		} else {
			page.interrupted = true
		}
	}
	page.concepts, _ = decodeEach[concept](entries)
	page.concepts = slices.DeleteFunc(page.concepts, func(c concept) bool { return !isID(c.ID) })
	page.interrupted = page.interrupted || len(page.concepts) < len(entries)
	switch {
	case isLast || int64(end) >= total:
	case found < 2 || end > maxGrid:
		page.interrupted = true // the sweep would never end
	default:
		page.next = &position{p.locale, end - 1, p.total, conceptID(grid.Concepts[found-1])}
	}
	return page
}

// conceptID returns the id of an entry, or "" if it has none.
func conceptID(raw json.RawMessage) string {
	ids, _ := productIDs([]json.RawMessage{raw}) // of any entity
	return strings.Join(ids, "")
}

// readPrices reads a page of the grid. It returns parts of the products whose price is
// that of the game, the other products as present, and every game as an item.
func (s *Store) readPrices(ctx context.Context, region Region, cursor string) (sweep.Page, error) {
	at, understood := parsePosition(cursor, []string{region.Locale})
	grid, err := s.readGrid(ctx, at)
	if err != nil {
		return sweep.Page{}, err
	}
	r := s.reader(region)
	page := sweep.Page{Interrupted: grid.interrupted || !understood, Requests: 1}
	for i := range grid.concepts {
		r.readEntry(&page, &grid.concepts[i])
	}
	if r.prices.elsewhere() {
		return sweep.Page{}, s.foreign(region)
	}
	page.Interrupted = page.Interrupted || r.prices.foreign > 0
	if grid.next != nil {
		page.Next = grid.next.String()
	}
	return page, nil
}

// readEntry adds the products of one entry. It adds a part of the product that has the
// game's price, if that is plainly its price, and the other products as present.
func (r *reader) readEntry(page *sweep.Page, c *concept) {
	products, whole := productIDs(c.Products)
	page.Interrupted = page.Interrupted || !whole
	page.Items = append(page.Items,
		sweep.Item{Kind: sweep.Editions, ID: c.ID, Mark: mark(c.Price, products)},
		sweep.Item{Kind: sweep.AddOns, ID: c.ID})
	priced := "" // the product that has the game's price
	if c.Price != nil {
		if !r.prices.accepts(c.Price) {
			return
		}
		if cut := strings.LastIndexByte(c.Price.SKU, '-'); cut >= 0 {
			priced = c.Price.SKU[:cut]
		} else if c.Price.SKU == "" && len(products) == 1 {
			priced = products[0]
		}
		price, plain := r.prices.listed(c.Price)
		if price == nil || !plain || !slices.Contains(products, priced) {
			priced = ""
		}
		if priced != "" {
			part := r.part(priced, sweep.ShowsPrice|sweep.ShowsFamily)
			part.Price, part.Facts.Family = price, c.ID
			if title := clipRunes(shown(c.Name), maxTitle); title != "" {
				part.Guesses |= sweep.ShowsTitle
				part.Facts.Title, part.Locale = title, r.locale
			}
			r.guessCover(&part, c.Media, c.PersonalizedMeta.Media)
			page.Parts = append(page.Parts, part)
		}
	}
	for _, id := range products {
		if id != priced {
			page.Present = append(page.Present, id)
		}
	}
}

// mark returns a digest of a price in a list and of the products of a game.
func mark(p *cost, products []string) string {
	h := fnv.New64a()
	if p != nil {
		fmt.Fprintf(h, "%q %q %v %v %q %q %v %v %v %q %q", p.BaseText, p.CurrentText, p.Base, p.Current, p.Currency, p.Label,
			p.Free, p.Tied, p.Exclusive, p.Services, p.SKU)
	}
	fmt.Fprintf(h, " %q", slices.Sorted(slices.Values(products)))
	return hex.EncodeToString(h.Sum(nil))
}

// readTitles reads a page of the grid in another locale, for the title of each product's
// game.
func (s *Store) readTitles(ctx context.Context, region Region, cursor string) (sweep.Page, error) {
	if len(region.Titles) == 0 {
		return sweep.Page{}, fmt.Errorf("the profile has no other locales of %s", region.Region)
	}
	at, understood := parsePosition(cursor, region.Titles)
	grid, err := s.readGrid(ctx, at)
	if err != nil {
		return sweep.Page{}, err
	}
	r := s.reader(region)
	page := sweep.Page{Interrupted: grid.interrupted || !understood, Requests: 1}
	for _, c := range grid.concepts {
		products, whole := productIDs(c.Products)
		name := clipRunes(shown(c.Name), maxTitle)
		page.Interrupted = page.Interrupted || !whole || name == ""
		if name == "" {
			continue
		}
		for _, id := range products {
			part := r.part(id, sweep.ShowsTitles)
			part.Facts.Titles = []catalog.LocalTitle{{Locale: canonical(at.locale), Title: name}}
			page.Parts = append(page.Parts, part)
		}
	}
	if grid.next != nil {
		page.Next = grid.next.String()
	} else if i := slices.Index(region.Titles, at.locale); i+1 < len(region.Titles) {
		page.Next = position{locale: region.Titles[i+1]}.String()
	}
	return page, nil
}

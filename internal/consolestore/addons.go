package consolestore

import (
	"context"
	"encoding/json"
	"fmt"

	"gamedex/internal/catalog"
	"gamedex/internal/sweep"
)

type addOnAnswer struct {
	AddOns   *[]json.RawMessage `json:"addOnProducts"`
	PageInfo *pageInfo          `json:"pageInfo"`
}

// The bounds of one game's add-ons; no game has so many.
const (
	maxAddOnPages = 200
	maxAddOns     = 20_000
)

func (s *Store) readAddOns(ctx context.Context, region Region, id string) (sweep.Page, error) {
	r := s.reader(region)
	list := addOnList{reader: r, family: id, seen: make(map[string]bool)}
	for !list.done {
		if list.page.Requests == maxAddOnPages || list.offset >= maxAddOns {
			list.page.Interrupted = true
			break
		}
		a, err := s.query(ctx, region.Locale, "getAddOnProductsByConcept", s.cfg.Profile.Operations.AddOns,
			map[string]any{"conceptId": id, "pageArgs": pageArgs{s.cfg.Profile.AddOnPageSize, list.offset}})
		if err != nil {
			return sweep.Page{}, err
		}
		// The object's name differs between the operations that list add-ons.
		var found addOnAnswer
		for _, raw := range a.data {
			var one addOnAnswer
			if !isNull(raw) && json.Unmarshal(raw, &one) == nil && one.AddOns != nil {
				found = one
			}
		}
		if found.AddOns == nil && list.page.Requests == 0 && a.gone {
			return sweep.Page{Gone: true, Requests: 1}, nil
		} else if found.AddOns == nil {
			return sweep.Page{}, s.lacks(a, "addOnProducts")
		}
		r.at = catalog.MillisOf(s.cfg.Now())
		list.partial = a.interrupted
		list.addPage(found, s.cfg.Profile.AddOnPageSize)
	}
	if r.prices.elsewhere() {
		return sweep.Page{}, s.foreign(region)
	}
	return list.page, nil
}

type addOnList struct {
	reader *reader
	family string
	page   sweep.Page
	seen   map[string]bool
	offset int
	total  number // according to the first page
	done   bool
	// partial reports that the page is a partial answer, in which a price may
	// be missing.
	partial bool
}

// addPage adds one page. A page that is not full is the last, unless the total of the
// store is larger.
func (l *addOnList) addPage(found addOnAnswer, size int) {
	l.page.Requests++
	products, whole := decodeEach[product](*found.AddOns)
	l.page.Interrupted = l.page.Interrupted || l.partial || !whole
	for i := range products {
		l.addOne(&products[i])
	}
	count := len(*found.AddOns)
	first := l.offset == 0
	l.offset += count
	l.done = count < size
	if info := found.PageInfo; info != nil && info.Total.known {
		if first {
			l.total = info.Total
		}
		l.page.Interrupted = l.page.Interrupted || info.Total != l.total
		l.done = int64(l.offset) >= info.Total.n || info.IsLast != nil && *info.IsLast
		l.page.Interrupted = l.page.Interrupted || l.done && int64(l.offset) < info.Total.n
	}
	if count == 0 && !l.done {
		l.page.Interrupted, l.done = true, true
	}
}

func (l *addOnList) addOne(p *product) {
	if !isID(p.ID) || l.seen[p.ID] {
		l.page.Interrupted = true // listed twice: the list has shifted
		return
	}
	l.seen[p.ID] = true
	// The list has price texts; the product page has numbers. A new text means
	// new numbers.
	l.page.Items = append(l.page.Items, sweep.Item{Kind: sweep.Details, ID: p.ID, Mark: mark(p.Price, nil)})
	if !l.reader.prices.accepts(p.Price) {
		l.page.Interrupted = true
		return
	}
	part := l.reader.part(p.ID, sweep.ShowsFamily)
	part.Facts.Family = l.family
	o := offer{silent: p.Price == nil && l.partial}
	if p.Price != nil {
		o.price, _ = l.reader.prices.listed(p.Price)
		o.guess = p.Price.isSum()
	}
	showPrice(&part, &o)
	if part.Shows&sweep.ShowsPrice == 0 {
		l.page.Present = append(l.page.Present, p.ID)
	}
	l.reader.readProduct(&part, p)
	t, known := typeOf(p.Classification, p.TopCategory)
	if !known {
		t = catalog.DLC // it is listed among the add-ons
	}
	part.Shows |= sweep.ShowsType
	part.Facts.Type = t
	if p.Classification == "DEMO" || p.TopCategory == "DEMO" {
		setDemo(&part, true)
	}
	l.reader.guess(&part, p)
	l.reader.guessCover(&part, boxArt(p.BoxArt))
	l.page.Parts = append(l.page.Parts, part)
}

// boxArt returns a list with the only picture of an add-on.
func boxArt(raw json.RawMessage) json.RawMessage {
	var art struct {
		URL json.RawMessage `json:"url"`
	}
	_ = json.Unmarshal(raw, &art) // without the address, the list is invalid and has no picture
	return fmt.Appendf(nil, `[{"role":"MASTER","url":%s}]`, art.URL)
}

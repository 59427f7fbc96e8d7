package bulk

import (
	"fmt"
	"net/url"

	"gamedex/internal/api/deflate"
	"gamedex/internal/api/respond"
	"gamedex/internal/api/wire"
	"gamedex/internal/catalog"
	"gamedex/internal/index"
)

// Encode appends the members of the answer from filters to regions. The region
// keys come last, because they are known only then.
func (a *Answer) Encode(b *respond.Body) {
	b.Buf = a.appendHead(b.Buf)
	b.Buf = append(b.Buf, `,"data":{"items":[`...)
	if !a.encodeItems(b) {
		return
	}
	b.Buf = append(b.Buf, ']')
	if !a.AppendNotFound(b) {
		return
	}
	if a.include.Has(FX) {
		b.Buf = append(b.Buf, `,"exchangeRates":`...)
		b.Buf = a.View.Rates.AppendJSON(b.Buf)
	}
	b.Buf = wire.AppendStrings(append(b.Buf, `},"regions":`...), a.keys)
}

// AppendItem appends the item of a card as an answer without ids shows it, after Find.
func (a *Answer) AppendItem(dst []byte, c index.Card) []byte {
	dst = a.openItem(dst, c)
	for i := range a.rows {
		dst = a.appendRegion(dst, c, i)
	}
	return append(a.closeItem(dst, c), '}')
}

// encodeItems appends all items. It returns false if the client is gone.
func (a *Answer) encodeItems(b *respond.Body) bool {
	if a.Cache != nil {
		a.form = a.Cache.form(a)
	}
	zip, n := b.Hints(), len(a.shown)
	var cards [index.PrefetchStep]index.Card
	var kept [index.PrefetchStep]*item
	for first := 0; first < n; first += index.PrefetchStep {
		few := cards[:min(index.PrefetchStep, n-first)]
		for i := range few {
			few[i] = a.Cards[a.shown[first+i]]
		}
		if a.Cache != nil {
			a.prefetched += a.Cache.find(few, a.View.CatalogNumber(), a.form, a.now, &kept)
		}
		a.prefetch(few, &kept)
		for i, c := range few {
			b.Buf = wire.AppendComma(b.Buf, first+i)
			if it := kept[i]; it != nil {
				start := len(b.Buf)
				if b.Buf = append(b.Buf, it.text...); zip != nil {
					zip.AddHints(b.Buf, start, it.hints)
				}
				a.addKeys(c, it)
			} else if !a.encodeItem(b, zip, c) {
				return false
			}
			b.Buf = append(a.AppendRequestedIDs(b.Buf, int(a.shown[first+i])), '}')
			if !b.SendChunk() {
				return false
			}
		}
	}
	return true
}

// prefetch reads what the items of cards that are not kept begin with.
func (a *Answer) prefetch(cards []index.Card, kept *[index.PrefetchStep]*item) {
	var memory [index.PrefetchStep]index.Card
	others := memory[:0]
	for i, c := range cards {
		if kept[i] == nil {
			others = append(others, c)
		}
	}
	a.prefetched += a.View.PrefetchCards(others, a.RegionNumbers())
	if a.include.Has(Lows) {
		a.prefetched += a.View.PrefetchLows(others, a.RegionNumbers())
	}
}

// appendHead appends filters and counts.
func (a *Answer) appendHead(dst []byte) []byte {
	dst = a.AppendFilters(append(dst, `"filters":{`...))
	dst = wire.AppendStrings(append(dst, `,"include":`...), a.include.Names)
	if a.conversion != nil {
		dst = wire.AppendText(append(dst, `,"currency":`...), string(a.conversion.To))
	}
	if a.lang != "" {
		dst = wire.AppendText(append(dst, `,"lang":`...), string(a.lang))
	}
	dst = a.AppendCounts(append(dst, `},"counts":{`...))
	if a.earlier != nil {
		dst = wire.AppendInt(append(dst, `,"unchanged":`...), int64(len(a.Cards)-len(a.shown)))
	}
	return append(dst, '}')
}

// encodeItem appends the item of a card up to its requestedIds, and adds it to the cache if its
// turn has come. It returns false if the client is gone.
func (a *Answer) encodeItem(b *respond.Body, zip *deflate.Writer, c index.Card) bool {
	keep := false
	if a.Cache != nil && a.Cache.admits(c.Rev()^a.form) {
		a.wanted++
		keep = a.wanted%keepEvery == 0
	}
	a.hints.on, a.until = keep || zip != nil, forever
	start := len(b.Buf)
	b.Buf = a.openItem(b.Buf, c)
	for i := range a.rows {
		b.Buf = a.appendRegion(b.Buf, c, i)
		if b.IsChunk() && len(b.Buf)-start > maxItem/2 { // smaller ones fit the chunk's slack
			a.moveHints(b, zip)
			keep = false
			if !b.SendChunk() {
				return false
			}
		}
	}
	b.Buf = a.closeItem(b.Buf, c)
	if keep {
		it := &item{key: c.Rev() ^ a.form, from: a.now, until: a.until, text: b.Buf[start:], hints: a.hints.list}
		for i := range a.rows {
			it.regions.add(a.rows[i].Region)
		}
		a.Cache.add(it, start)
	}
	a.moveHints(b, zip)
	return true
}

// moveHints passes the hints to the compressor, which may be nil.
func (a *Answer) moveHints(b *respond.Body, zip *deflate.Writer) {
	if zip != nil {
		zip.AddHints(b.Buf, 0, a.hints.list)
	}
	a.hints.list = a.hints.list[:0]
}

// itemOpening is what the text of every item begins with.
const itemOpening = `{"id":`

// openItem finds the rows of a card and appends what comes before its regions.
func (a *Answer) openItem(dst []byte, c index.Card) []byte {
	a.findRows(c)
	dst = wire.AppendText(a.hints.appendPart(dst, partCard, itemOpening), c.ID())
	dst = a.hints.appendPart(dst, partPlatform, `,"platform":"`)
	dst = append(append(dst, c.Platform().String()...), `","title":`...)
	title := len(dst)
	a.hints.addKey(dst, partTitle)
	dst = wire.AppendText(dst, c.TitleIn(a.language))
	a.hints.addWords(dst, title, ' ')
	return a.hints.appendPart(dst, partRegions, `,"regions":{`)
}

// closeItem appends what comes after the regions of a card and before its requestedIds.
func (a *Answer) closeItem(dst []byte, c index.Card) []byte {
	platform := c.Platform()
	dst = wire.AppendInt(a.hints.appendPart(dst, partCount, `},"regionsCount":`), int64(len(a.rows)))
	row, compared := a.cheapest()
	dst = wire.AppendInt(append(dst, `,"comparedRegions":`...), int64(compared))
	dst = a.appendCheapest(append(dst, `,"cheapest":`...), platform, row)
	dst = a.appendPricedAt(a.hints.appendPart(dst, partUpdated, `,"updatedAt":`), a.freshest(c.Rows()))
	if a.include.Has(Image) {
		dst = a.hints.appendPart(dst, partImage, `,"imageUrl":`)
		start := len(dst)
		dst = wire.AppendTextOrNull(dst, c.Cover())
		a.hints.addLinkEnd(dst, start)
	}
	if a.include.Has(URL) {
		dst = a.appendLinks(dst, c)
	}
	if a.include.Has(Meta) {
		dst = a.appendCardMeta(dst, c)
	}
	if a.Pages {
		if best, ok := a.View.Cheapest(c.Rows(), a.now); ok {
			dst = a.AppendRow(append(dst, `,"cheapestPrice":`...), platform, &best)
		}
	}
	return dst
}

// addKeys adds the keys of the regions that a kept item shows, in the order of its rows.
func (a *Answer) addKeys(c index.Card, it *item) {
	if a.keySeen[c.Platform()].contains(&it.regions) {
		return
	}
	a.findRows(c)
	for i := range a.rows {
		a.addKey(c.Platform(), a.rows[i].Region)
	}
}

func (a *Answer) addKey(platform catalog.Platform, region uint8) {
	if seen := &a.keySeen[platform]; !seen.has(region) {
		seen.add(region)
		a.keys = append(a.keys, a.View.Region(region).Key(platform))
	}
}

// appendRegion appends region price i under its key, with the blocks of include.
func (a *Answer) appendRegion(dst []byte, c index.Card, i int) []byte {
	dst = wire.AppendComma(dst, i)
	row, platform := &a.rows[i], c.Platform()
	a.addKey(platform, row.Region)
	a.hints.addKey(dst, regionKey(rowKeys, platform, row))
	dst = a.appendRow(dst, platform, row, 0)
	if a.include.Blocks&(URL|Editions|Lows) != 0 {
		dst = a.appendBlocks(dst, c, row)
	}
	return append(dst, '}')
}

// appendBlocks appends the blocks of include of a region.
func (a *Answer) appendBlocks(dst []byte, c index.Card, row *shownRow) []byte {
	if a.include.Has(URL) {
		dst = a.appendURL(a.hints.appendCurrencyPart(dst, partRegionURL, `,"storeUrl":`), &row.Row)
	}
	if a.include.Has(Editions) {
		dst = a.appendEditions(dst, c, row.Region)
	}
	if a.include.Has(Lows) {
		past := a.summary(&row.Row)
		dst = a.AppendLows(a.hints.appendPart(dst, partLows, `,"lows":`), past)
		if a.Pages {
			dst = wire.AppendTimestampOrNull(append(dst, `,"since":`...), int64(past.Since))
		}
	}
	return dst
}

// AppendRow appends the region price of a card of a platform, without the blocks of
// include. The row is as it is at the time of the request.
func (a *Answer) AppendRow(dst []byte, platform catalog.Platform, row *index.Row) []byte {
	shown := shownRow{*row, a.findPrice(platform, row)}
	return append(a.appendRow(dst, platform, &shown, shown.price.object), '}')
}

// appendRow appends a region price without the blocks of include, from an offset of its price.
// It leaves the object open.
func (a *Answer) appendRow(dst []byte, platform catalog.Platform, row *shownRow, from int32) []byte {
	dst = a.appendPrice(dst, row.price, from)
	a.hints.addDiscount(dst, row)
	if row.HasLabel() || row.EndsAt != 0 {
		dst = wire.AppendTextOrNull(append(dst, `,"discountLabel":`...), row.Label())
		dst = append(dst, `,"discountEndAt":`...)
		if row.EndsAt == 0 {
			dst = append(dst, `null`...)
		} else {
			dst = a.calendar.AppendTimestamp(dst, row.EndsAt)
		}
	} else {
		dst = append(dst, `,"discountLabel":null,"discountEndAt":null`...)
	}
	a.hints.addKey(dst, partFlags)
	dst = append(dst, flags(row)...)
	if row.HasEdition() {
		dst = wire.AppendText(append(dst, `,"edition":`...), row.EditionIn(a.language))
		dst = append(dst, `,"sku":`...)
	} else {
		dst = append(dst, `,"edition":null,"sku":`...)
	}
	dst = a.appendProduct(dst, platform, row)
	if _, source := row.Numbers(); source != a.source || len(a.sourceText) == 0 {
		a.source, a.sourceText = source, wire.AppendTextOrNull(append(a.sourceText[:0], `,"source":`...), row.Source())
		a.sourceText = append(a.sourceText, `,"pricedAt":`...)
	}
	a.hints.addKey(dst, sourceKeys+uint32(len(a.sourceText))) // those of one length are likely the same
	dst = append(dst, a.sourceText...)
	dst = a.appendPricedAt(dst, row.PricedAt)
	a.hints.addKey(dst, regionKey(rowEndKeys, platform, row)) // the same region follows in most games
	return wire.AppendInt(append(dst, `,"variantsCount":`...), int64(row.Variants))
}

// flags returns the members for the flags of a row.
func flags(row *shownRow) string {
	i := 0
	if row.Current == 0 {
		i = 1
	}
	if row.Trial {
		i |= 2
	}
	if row.Subscription {
		i |= 4
	}
	return flagTexts[i]
}

// flagTexts are the members for each set of flags.
var flagTexts = func() (texts [8]string) {
	for i := range texts {
		texts[i] = fmt.Sprintf(`,"isFree":%t,"isTrial":%t,"isSubPlus":%t`, i&1 != 0, i&2 != 0, i&4 != 0)
	}
	return texts
}()

// appendProduct appends the store's product id, which only the console store
// has.
func (a *Answer) appendProduct(dst []byte, platform catalog.Platform, row *shownRow) []byte {
	product, _ := row.Numbers()
	if platform != catalog.ConsoleStore || product == 0 {
		return append(dst, `null`...)
	}
	if a.hints.on {
		a.hints.add(len(dst)+len(`"`), partProduct, 0)
	}
	// A game mostly has one product in all regions.
	if product == a.product {
		return append(dst, a.productText...)
	}
	a.product, a.productText = product, wire.AppendText(a.productText[:0], row.Product())
	start := len(dst)
	dst = append(dst, a.productText...)
	a.hints.addWords(dst, start, '-')
	return dst
}

// appendPricedAt appends the time of a price. Every card has a row.
func (a *Answer) appendPricedAt(dst []byte, ms int64) []byte {
	// The prices of one sweep have few timestamps.
	a.hints.addKey(dst, valueKey(uint64(ms)))
	return a.calendar.AppendTimestamp(dst, ms)
}

func (a *Answer) appendCheapest(dst []byte, platform catalog.Platform, row *shownRow) []byte {
	if row == nil {
		return append(dst, `null`...)
	}
	dst = wire.AppendString(append(dst, `{"region":`...), a.View.Region(row.Region).Key(platform))
	dst = a.hints.appendPart(dst, partCheapestUSD, `,"usd":`)
	dst = a.appendPrice(dst, row.price, row.price.usd)
	dst = a.hints.appendPart(dst, partCheapestText, `,"text":`)
	a.hints.addPriceText(dst, &row.Row)
	dst = append(dst, row.price.text[row.price.currentText:row.price.percent]...)
	return append(dst, '}')
}

// appendLinks appends links, and storeUrl of the first region shown that has
// one.
func (a *Answer) appendLinks(dst []byte, c index.Card) []byte {
	var first *index.Row
	for i := range a.rows {
		if a.rows[i].HasURL() {
			first = &a.rows[i].Row
			break
		}
	}
	dst = a.appendURL(a.hints.appendPart(dst, partStoreURL, `,"storeUrl":`), first)
	dst = a.hints.appendPart(dst, partLinks, `,"links":{"card":"`)
	dst = append(AppendCardPath(dst, c), '"')
	dst = a.appendURL(a.hints.appendPart(dst, partStoreLink, `,"store":`), first)
	return append(dst, '}')
}

// AppendCardPath appends the path at which the API has a card.
func AppendCardPath(dst []byte, c index.Card) []byte {
	path := "/api/v1/catalog/games/"
	if c.Platform() == catalog.PCStore {
		path = "/api/v1/catalog/pcstore/games/"
	}
	return append(append(dst, path...), url.PathEscape(c.ID())...)
}

// appendURL appends the store link of a row, null if there is none.
func (a *Answer) appendURL(dst []byte, row *index.Row) []byte {
	if row == nil || !row.HasURL() {
		return append(dst, `null`...)
	}
	dst = append(dst, '"')
	start := len(dst)
	dst = row.AppendURL(dst)
	if wire.NeedsEscape(dst[start:]) { // rare: links are ASCII without quotes
		return wire.AppendString(dst[:start-1], string(dst[start:]))
	}
	a.hints.addLinkEnd(dst, start)
	return append(dst, '"')
}

func (a *Answer) appendCardMeta(dst []byte, c index.Card) []byte {
	dst = wire.AppendTextOrNull(a.hints.appendPart(dst, partMeta, `,"meta":{"editionName":`), c.EditionNameIn(a.language))
	dst = wire.AppendText(a.hints.appendPart(dst, partPublisher, `,"publisher":`), c.Publisher())
	dst = wire.AppendText(a.hints.appendPart(dst, partReleased, `,"releaseDate":`), c.ReleaseDate())
	dst = wire.AppendList(a.hints.appendPart(dst, partGenres, `,"genres":`), c.Genres())
	dst = wire.AppendList(a.hints.appendPart(dst, partPlatforms, `,"platforms":`), c.Platforms())
	dst = a.hints.appendPart(dst, partInvariant, `,"invariantName":`)
	a.hints.addKey(dst, partTitle)
	dst = wire.AppendText(dst, c.InvariantName())
	return append(dst, '}')
}

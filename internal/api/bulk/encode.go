package bulk

import (
	"gamedex/internal/api/respond"
	"gamedex/internal/api/wire"
	"gamedex/internal/catalog"
	"gamedex/internal/index"
	"gamedex/internal/money"
)

// Encode appends the members of the answer from filters to regions. The region
// keys come last, because they are known only then.
func (a *Answer) Encode(b *respond.Body) {
	a.hints = hints{to: b.Hints()}
	b.Buf = a.appendHead(b.Buf)
	b.Buf = append(b.Buf, `,"data":{"items":[`...)
	for i, c := range a.cards {
		if i > 0 {
			b.Buf = append(b.Buf, ',')
		}
		if i%index.PrefetchStep == 0 {
			a.prefetched += a.view.PrefetchCards(a.cards[i:], a.regions)
		}
		a.encodeCard(b, c)
		if !b.SendPiece() {
			return
		}
	}
	b.Buf = append(b.Buf, `],"notFound":[`...)
	for i, id := range a.lost {
		if i > 0 {
			b.Buf = append(b.Buf, ',')
		}
		b.Buf = wire.AppendString(b.Buf, id.Sent)
	}
	b.Buf = append(b.Buf, ']')
	b.Buf = a.appendMoved(b.Buf)
	if a.params.Include.Has(FX) {
		b.Buf = append(b.Buf, `,"exchangeRates":`...)
		b.Buf = a.view.Rates.AppendJSON(b.Buf)
	}
	b.Buf = append(b.Buf, `},"regions":`...)
	b.Buf = wire.AppendStrings(b.Buf, a.keys)
}

// appendHead appends filters and counts.
func (a *Answer) appendHead(dst []byte) []byte {
	dst = append(dst, `"filters":{"platform":`...)
	dst = wire.AppendString(dst, a.platformName())
	dst = append(dst, `,"regions":[`...)
	if a.params.Regions.All {
		dst = append(dst, `"all"`...)
	} else {
		for i, r := range a.params.Regions.Codes {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = wire.AppendString(dst, r.String())
		}
	}
	dst = append(dst, `],"include":`...)
	dst = wire.AppendStrings(dst, a.params.Include.Names)
	dst = append(dst, `},"counts":{"requested":`...)
	dst = wire.AppendInt(dst, int64(len(a.params.IDs)))
	dst = append(dst, `,"resolved":`...)
	dst = wire.AppendInt(dst, int64(len(a.cards)))
	dst = append(dst, `,"notFound":`...)
	dst = wire.AppendInt(dst, int64(len(a.lost)))
	return append(dst, '}')
}

// encodeCard appends one game.
func (a *Answer) encodeCard(b *respond.Body, c index.Card) {
	platform := c.Platform()
	a.findRows(c.Rows())
	dst := a.hints.appendPart(b.Buf, partCard, `{"id":`)
	dst = wire.AppendText(dst, c.ID())
	dst = a.hints.appendPart(dst, partPlatform, `,"platform":"`)
	dst = append(append(dst, platform.String()...), `","title":`...)
	title := len(dst)
	a.hints.addPart(dst, partTitle)
	dst = wire.AppendText(dst, c.Title())
	a.hints.addWords(dst, title, ' ')
	dst = a.hints.appendPart(dst, partRegions, `,"regions":{`)
	for i := range a.rows {
		if i > 0 {
			dst = append(dst, ',')
		}
		b.Buf = a.appendRegion(dst, c, &a.rows[i])
		if !b.SendPiece() {
			return
		}
		dst = b.Buf
	}
	dst = a.hints.appendPart(dst, partCount, `},"regionsCount":`)
	dst = wire.AppendInt(dst, int64(len(a.rows)))
	dst = a.appendCheapest(append(dst, `,"cheapest":`...), platform)
	dst = a.hints.appendPart(dst, partUpdated, `,"updatedAt":`)
	dst = a.appendPricedAt(dst, a.freshest(c.Rows()))
	if a.params.Include.Has(Image) {
		dst = a.hints.appendPart(dst, partImage, `,"imageUrl":`)
		start := len(dst)
		dst = wire.AppendTextOrNull(dst, c.Cover())
		a.hints.addLinkEnd(dst, start)
	}
	if a.params.Include.Has(URL) {
		dst = a.appendLinks(dst, c)
	}
	if a.params.Include.Has(Meta) {
		dst = a.appendCardMeta(dst, c)
	}
	b.Buf = append(dst, '}')
}

// appendRegion appends one region price under its key: the row's template with
// the values of the row in it.
func (a *Answer) appendRegion(dst []byte, c index.Card, row *shownRow) []byte {
	platform := c.Platform()
	if !a.keySeen[platform][row.Region] {
		a.keySeen[platform][row.Region] = true
		a.keys = append(a.keys, a.view.Region(row.Region).Key(platform))
	}
	t := a.templates.find(a.view, platform, row)
	a.hints.addRow(dst, platform, row)
	dst = append(dst, t.opening()...)
	dst = a.appendPrice(dst, row)
	a.hints.addDiscount(dst, row)
	dst = append(dst, t.discount()...)
	a.hints.addPart(dst, partFlags)
	dst = append(dst, t.flags()...)
	dst = a.appendProduct(dst, platform, row)
	a.hints.addSource(dst, t.source())
	dst = append(dst, t.source()...)
	dst = a.appendPricedAt(dst, row.PricedAt)
	a.hints.addRowEnd(dst, platform, row)
	dst = append(dst, t.closing()...)
	if a.params.Include.Has(URL) {
		a.hints.addCurrencyPart(dst, partRegionURL)
		dst = append(dst, `,"storeUrl":`...)
		dst = a.appendURL(dst, &row.Row)
	}
	if a.params.Include.Has(Editions) {
		dst = a.appendEditions(dst, c, row.Region)
	}
	return append(dst, '}')
}

// appendCurrency appends the members before the first value of appendPrice.
func appendCurrency(dst []byte, v *index.View, row *shownRow) []byte {
	return append(append(append(dst, `"currency":"`...), v.Currency(row.Currency)...), `","base":`...)
}

// appendPrice appends the values from base to usd, which region prices and
// editions share.
func (a *Answer) appendPrice(dst []byte, row *shownRow) []byte {
	a.hints.addPrice(dst, row)
	dst = wire.AppendAmount(dst, row.Base)
	a.hints.addPart(dst, partCurrent)
	dst = append(dst, `,"current":`...)
	a.hints.addCurrent(dst, row)
	dst = wire.AppendAmount(dst, row.Current)
	a.hints.addCurrencyPart(dst, partBaseText)
	dst = append(dst, `,"baseText":`...)
	text := len(dst)
	a.hints.addBaseText(dst, row)
	dst = wire.AppendText(dst, row.BaseText())
	baseText := dst[text:]
	a.hints.addCurrencyPart(dst, partCurrentText)
	dst = append(dst, `,"currentText":`...)
	a.hints.addPriceText(dst, row)
	if row.OneText() {
		dst = append(dst, baseText...)
	} else {
		dst = wire.AppendText(dst, row.CurrentText())
	}
	a.hints.addCurrencyPart(dst, partPercent)
	dst = append(dst, `,"discountPercent":`...)
	if row.Percent == catalog.NoPercent {
		dst = append(dst, `null`...)
	} else {
		dst = wire.AppendInt(dst, int64(row.Percent))
	}
	a.hints.addCurrencyPart(dst, partUSD)
	dst = append(dst, `,"usd":`...)
	if !row.hasUSD {
		return append(dst, `null`...)
	}
	a.hints.addDollars(dst, row)
	return money.AppendUSD(dst, row.cents)
}

// appendProduct appends the store's product id, which only the console store
// has. Most rows have that of the row before.
func (a *Answer) appendProduct(dst []byte, platform catalog.Platform, row *shownRow) []byte {
	n := row.ProductNumber()
	if platform != catalog.ConsoleStore || n == 0 {
		return append(dst, `null`...)
	}
	a.hints.addProduct(dst)
	if n == a.product.number {
		return append(dst, a.product.text...)
	}
	a.product.number, a.product.text = n, wire.AppendText(a.product.text[:0], row.Product())
	start := len(dst)
	dst = append(dst, a.product.text...)
	a.hints.addWords(dst, start, '-')
	return dst
}

// appendPricedAt appends the empty string for zero, which stands for a card
// without any row: the specification does not allow null here.
func (a *Answer) appendPricedAt(dst []byte, ms int64) []byte {
	if ms == 0 {
		return append(dst, `""`...)
	}
	a.hints.addMoment(dst, ms)
	return a.calendar.AppendMoment(dst, ms)
}

func (a *Answer) appendCheapest(dst []byte, platform catalog.Platform) []byte {
	row := a.cheapest()
	if row == nil {
		return append(dst, `null`...)
	}
	dst = append(dst, `{"region":`...)
	dst = wire.AppendString(dst, a.view.Region(row.Region).Key(platform))
	dst = a.hints.appendPart(dst, partCheapestUSD, `,"usd":`)
	a.hints.addDollars(dst, row)
	dst = money.AppendUSD(dst, row.cents)
	dst = a.hints.appendPart(dst, partCheapestText, `,"text":`)
	a.hints.addPriceText(dst, row)
	dst = wire.AppendText(dst, row.CurrentText())
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
	dst = a.hints.appendPart(dst, partStoreURL, `,"storeUrl":`)
	dst = a.appendURL(dst, first)
	dst = a.hints.appendPart(dst, partLinks, `,"links":{"card":`)
	path := `"/api/v1/catalog/games/`
	if c.Platform() == catalog.PCStore {
		path = `"/api/v1/catalog/pcstore/games/`
	}
	dst = append(dst, path...)
	quote := len(dst)
	dst = wire.AppendText(dst, c.ID())
	dst = append(dst[:quote], dst[quote+1:]...) // path has the opening quote
	dst = a.hints.appendPart(dst, partStoreLink, `,"store":`)
	dst = a.appendURL(dst, first)
	return append(dst, '}')
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
	dst = a.hints.appendPart(dst, partMeta, `,"meta":{"editionName":`)
	dst = wire.AppendTextOrNull(dst, c.EditionName())
	dst = a.hints.appendPart(dst, partPublisher, `,"publisher":`)
	dst = wire.AppendText(dst, c.Publisher())
	dst = a.hints.appendPart(dst, partReleased, `,"releaseDate":`)
	dst = wire.AppendText(dst, c.ReleaseDate())
	dst = a.hints.appendPart(dst, partGenres, `,"genres":`)
	dst = wire.AppendList(dst, c.Genres())
	dst = a.hints.appendPart(dst, partPlatforms, `,"platforms":`)
	dst = wire.AppendList(dst, c.Platforms())
	dst = a.hints.appendPart(dst, partInvariant, `,"invariantName":`)
	a.hints.addPart(dst, partTitle)
	dst = wire.AppendText(dst, c.InvariantName())
	return append(dst, '}')
}

// appendMoved appends, for ids that were not found, the ids of the cards that
// hold their listings now.
func (a *Answer) appendMoved(dst []byte) []byte {
	n := 0
	for _, id := range a.lost {
		successors := a.view.Moved(id.Key)
		if len(successors) == 0 {
			continue
		}
		if n == 0 {
			dst = append(dst, `,"moved":{`...)
		} else {
			dst = append(dst, ',')
		}
		n++
		dst = append(wire.AppendString(dst, id.Sent), ':')
		dst = wire.AppendStrings(dst, successors)
	}
	if n > 0 {
		dst = append(dst, '}')
	}
	return dst
}

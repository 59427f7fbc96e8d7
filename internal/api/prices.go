package api

import (
	"gamedex/internal/catalog"
	"gamedex/internal/index"
	"gamedex/internal/money"
)

// encode appends the bulk answer. What stands before data is known already;
// the region keys are known only behind it.
func (p *pricing) encode(a *answer) {
	p.marks = marks{to: a.marked()}
	a.buf = p.appendHead(a.buf)
	for i, c := range p.cards {
		if i > 0 {
			a.buf = append(a.buf, ',')
		}
		if i%index.WarmStep == 0 {
			p.warmth += p.view.WarmCards(p.cards[i:], p.order)
		}
		p.item(a, c)
		if !a.full() {
			return
		}
	}
	a.buf = append(a.buf, `],"notFound":[`...)
	for i, id := range p.lost {
		if i > 0 {
			a.buf = append(a.buf, ',')
		}
		a.buf = appendString(a.buf, id.sent)
	}
	a.buf = p.appendMoved(append(a.buf, ']'))
	if p.params.include.has(blockFX) {
		a.buf = append(a.buf, `,"exchangeRates":`...)
		a.buf = p.view.Rates.AppendJSON(a.buf)
	}
	a.buf = append(a.buf, `},"regions":`...)
	a.buf = appendStrings(a.buf, p.keys)
	a.buf = append(p.appendMeta(a.buf, a.rq), '}')
}

// appendHead appends everything up to the first item.
func (p *pricing) appendHead(dst []byte) []byte {
	dst = append(dst, `{"ok":true,"filters":{"platform":`...)
	dst = appendString(dst, p.platformName())
	dst = append(dst, `,"regions":`...)
	dst = p.appendRegionNames(dst)
	dst = append(dst, `,"include":`...)
	dst = appendStrings(dst, p.params.include.names)
	dst = append(dst, `},"counts":{"requested":`...)
	dst = appendInt(dst, int64(len(p.wanted.ids)))
	dst = append(dst, `,"resolved":`...)
	dst = appendInt(dst, int64(len(p.cards)))
	dst = append(dst, `,"notFound":`...)
	dst = appendInt(dst, int64(len(p.lost)))
	return append(dst, `},"data":{"items":[`...)
}

// appendMoved says of ids that are not found where their listings live now.
func (p *pricing) appendMoved(dst []byte) []byte {
	n := 0
	for _, id := range p.lost {
		successors := p.view.Moved(id.key)
		if len(successors) == 0 {
			continue
		}
		if n == 0 {
			dst = append(dst, `,"moved":{`...)
		} else {
			dst = append(dst, ',')
		}
		n++
		dst = append(appendString(dst, id.sent), ':')
		dst = appendStrings(dst, successors)
	}
	if n > 0 {
		dst = append(dst, '}')
	}
	return dst
}

func (p *pricing) appendMeta(dst []byte, rq *request) []byte {
	dst = append(dst, `,"meta":{"version":`...)
	dst = appendString(dst, rq.api.cfg.Version)
	dst = append(dst, `,"requestId":`...)
	dst = appendString(dst, rq.w.Header().Get(requestIDHeader))
	dst = append(dst, ',')
	dst = rq.appendMetaMembers(dst)
	dst = append(dst, `,"exchangeRates":`...)
	dst = appendRatesHead(dst, p.view.Rates)
	dst = append(dst, `,"indexBuiltAt":`...)
	dst = appendMoment(dst, p.view.IndexBuiltAt)
	return append(dst, '}')
}

// appendRatesHead appends which table of rates was used; null for none.
func appendRatesHead(dst []byte, r money.Rates) []byte {
	if r.IsZero() {
		return append(dst, `null`...)
	}
	dst = append(dst, `{"base":`...)
	dst = appendString(dst, string(r.Base()))
	dst = append(dst, `,"updatedAt":`...)
	dst = appendMoment(dst, r.UpdatedAt())
	return append(dst, '}')
}

// item appends one game.
func (p *pricing) item(a *answer, c index.Card) {
	platform := c.Platform()
	p.show(c.Rows())
	dst := p.marks.add(a.buf, partItem, `{"id":`)
	dst = appendText(dst, c.ID())
	dst = p.marks.add(dst, partPlatform, `,"platform":"`)
	dst = append(append(dst, platform.String()...), `","title":`...)
	title := len(dst)
	p.marks.at(dst, partTitle)
	dst = appendText(dst, c.Title())
	p.marks.words(dst, title, ' ')
	dst = p.marks.add(dst, partRegions, `,"regions":{`)
	for i := range p.shown {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = p.appendRegion(dst, c, &p.shown[i])
		a.buf = dst
		if !a.full() {
			return
		}
		dst = a.buf
	}
	dst = p.marks.add(dst, partCount, `},"regionsCount":`)
	dst = appendInt(dst, int64(len(p.shown)))
	dst = p.appendCheapest(append(dst, `,"cheapest":`...), platform)
	dst = p.marks.add(dst, partUpdated, `,"updatedAt":`)
	dst = p.appendPricedAt(dst, p.freshest(c.Rows()))
	a.buf = append(p.appendBlocks(dst, c), '}')
}

func (p *pricing) appendCheapest(dst []byte, platform catalog.Platform) []byte {
	i := p.cheapest()
	if i < 0 {
		return append(dst, `null`...)
	}
	row := &p.shown[i]
	dst = append(dst, `{"region":`...)
	dst = appendString(dst, p.view.Region(row.Region).Key(platform))
	dst = p.marks.add(dst, partCheapestUSD, `,"usd":`)
	p.marks.dollars(dst, row)
	dst = money.AppendUSD(dst, row.cents)
	dst = p.marks.add(dst, partCheapestText, `,"text":`)
	p.marks.shown(dst, row)
	dst = appendText(dst, row.CurrentText())
	return append(dst, '}')
}

// appendBlocks appends the blocks of include that stand beside the regions.
func (p *pricing) appendBlocks(dst []byte, c index.Card) []byte {
	if p.params.include.has(blockImage) {
		dst = p.marks.add(dst, partImage, `,"imageUrl":`)
		start := len(dst)
		dst = appendTextOrNull(dst, c.Cover())
		p.marks.link(dst, start)
	}
	if p.params.include.has(blockURL) {
		dst = p.appendLinks(dst, c)
	}
	if p.params.include.has(blockMeta) {
		dst = p.appendCardMeta(dst, c)
	}
	return dst
}

// appendLinks appends storeUrl, of the first region shown that has one, and
// links.
func (p *pricing) appendLinks(dst []byte, c index.Card) []byte {
	first := -1
	for i := range p.shown {
		if p.shown[i].HasURL() {
			first = i
			break
		}
	}
	link := func(dst []byte) []byte {
		if first < 0 {
			return append(dst, `null`...)
		}
		return p.appendURL(dst, &p.shown[first].Row)
	}
	dst = link(p.marks.add(dst, partStoreURL, `,"storeUrl":`))
	dst = p.marks.add(dst, partLinks, `,"links":{"card":`)
	dst = appendCardPath(dst, c)
	dst = link(p.marks.add(dst, partStoreLink, `,"store":`))
	return append(dst, '}')
}

// appendURL appends the store link of a row, null if it has none.
func (p *pricing) appendURL(dst []byte, row *index.Row) []byte {
	if !row.HasURL() {
		return append(dst, `null`...)
	}
	dst = append(dst, '"')
	start := len(dst)
	dst = row.AppendURL(dst)
	for _, c := range dst[start:] {
		if !plain[c] { // rare: links are ASCII without quotes
			return appendString(dst[:start-1], string(dst[start:]))
		}
	}
	p.marks.link(dst, start)
	return append(dst, '"')
}

func (p *pricing) appendCardMeta(dst []byte, c index.Card) []byte {
	dst = p.marks.add(dst, partMeta, `,"meta":{"editionName":`)
	dst = appendTextOrNull(dst, c.EditionName())
	dst = p.marks.add(dst, partPublisher, `,"publisher":`)
	dst = appendText(dst, c.Publisher())
	dst = p.marks.add(dst, partReleased, `,"releaseDate":`)
	dst = appendText(dst, c.ReleaseDate())
	dst = p.marks.add(dst, partGenres, `,"genres":`)
	dst = appendList(dst, c.Genres())
	dst = p.marks.add(dst, partPlatforms, `,"platforms":`)
	dst = appendList(dst, c.Platforms())
	dst = p.marks.add(dst, partInvariant, `,"invariantName":`)
	p.marks.at(dst, partTitle)
	dst = appendText(dst, c.InvariantName())
	return append(dst, '}')
}

package dashboard_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/dashboard"
	"gamedex/internal/money"
	"gamedex/internal/sqldb/listings"
	"gamedex/internal/testing/browsertest"
)

// extremeTitles are as long as stores allow, in words and without any.
var extremeTitles = []string{strings.Repeat("W", 200), strings.Repeat("Щ", 200), strings.Repeat("Wide word ", 20), strings.Repeat("Supercalifragilistic ", 9), "I", "名" + strings.Repeat("前", 199)}

// extremeListings returns a catalog of games with such titles, each in a country or in 60, at prices of
// nine digits: usual, doubtful, alone without a past, for free, for subscribers, or none. No game has a
// cover.
func extremeListings() (lines []catalog.Listing) {
	now := catalog.MillisOf(time.Now())
	const base, current = 987_654_321_99, 123_456_789_99
	prices := []func(*catalog.Price){
		func(p *catalog.Price) { p.DiscountEndsAt = now + 3*24*3_600_000 },
		func(p *catalog.Price) { p.Source = catalog.SourceDoubtful },
		func(p *catalog.Price) { p.Current, p.DiscountPercent = p.Base, catalog.NoPercent },
		func(p *catalog.Price) { p.Current, p.Subscription, p.DiscountPercent = 0, true, 100 },
		func(p *catalog.Price) { p.Current, p.Trial, p.DiscountPercent = 0, true, 100 },
		func(p *catalog.Price) { p.Current, p.DiscountPercent = 0, 100 },
		nil,
	}
	for i, title := range extremeTitles {
		for j, change := range prices {
			regions := someRegions(60)
			if j%2 == 1 || i > 1 {
				regions = regions[:1]
			}
			id := fmt.Sprintf("extreme-%d-%d", i, j)
			for _, region := range regions {
				currency, ok := money.RegionCurrency(region.String())
				if !ok {
					currency = "USD"
				}
				l := catalog.Listing{
					Key:    catalog.Key{Platform: catalog.ConsoleStore, Region: region, Product: id},
					Locale: "en-" + region.String(), ObservedAt: now,
					Facts: catalog.Facts{Family: id, FamilyName: title, Title: title, InvariantName: fmt.Sprint(title, j), Type: catalog.SeasonPass, Platforms: []string{"PS4", "PS5"}},
					Prose: catalog.Prose{Publisher: title, Developer: title, Genres: []string{title[:min(len(title), 30)], "Action"}, RatingAge: "18", RatingSystem: "PEGI", Description: title},
				}
				if i > 0 {
					l.Facts.Type = catalog.Game
				}
				if change != nil {
					l.Price = &catalog.Price{Currency: currency, Base: base, Current: current, DiscountPercent: 87, Source: catalog.SourceExact}
					change(l.Price)
				}
				lines = append(lines, l)
			}
		}
	}
	return lines
}

// overlaps returns the pairs of texts and pictures on the page that cover each other, and pills of
// several lines.
const overlaps = `(() => {
  const found = [], boxes = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const say = (e) => e.localName + "." + e.className + " " + JSON.stringify(e.textContent.trim().slice(0, 40));
  for (let n = walk.nextNode(); n; n = walk.nextNode()) {
    const e = n.parentElement;
    if (!n.data.trim() || !e.checkVisibility() || e.closest("svg, select, datalist, script, style, .skip, .hidden-text, .regions i, dialog, [popover]")) continue;
    const range = document.createRange();
    range.selectNodeContents(n);
    let right = Infinity, bottom = Infinity, hidden = false;
    for (let a = e; a; a = a.parentElement) {
      const style = getComputedStyle(a), r = a.getBoundingClientRect();
      hidden ||= style.clipPath !== "none";
      if (style.overflowX !== "visible" && style.display !== "inline") [right, bottom] = [Math.min(right, r.right), Math.min(bottom, r.bottom)];
    }
    for (const r of hidden ? [] : range.getClientRects()) {
      const box = { e, left: r.left + 1, right: Math.min(r.right, right) - 1, top: r.top + 4, bottom: Math.min(r.bottom, bottom) - 4 };
      if (box.right - box.left > 2 && box.bottom - box.top > 4) boxes.push(box);
    }
  }
  for (const e of document.querySelectorAll(".cover, button, input, select")) {
    const r = e.getBoundingClientRect();
    if (e.checkVisibility() && r.width > 4) boxes.push({ e, left: r.left + 1, right: r.right - 1, top: r.top + 1, bottom: r.bottom - 1 });
  }
  boxes.sort((a, b) => a.top - b.top);
  boxes.forEach((a, i) => {
    for (const b of boxes.slice(i + 1)) {
      if (b.top >= a.bottom) break;
      if (a.e === b.e || a.e.contains(b.e) || b.e.contains(a.e) || a.left >= b.right || b.left >= a.right) continue;
      found.push(say(a.e) + " and " + say(b.e));
    }
  });
  for (const e of document.querySelectorAll(".badge")) {
    if (e.checkVisibility() && getComputedStyle(e).backgroundColor !== "rgba(0, 0, 0, 0)" && e.offsetHeight > 2.2 * parseFloat(getComputedStyle(e).fontSize) && !e.closest("h1, .badges")) found.push("several lines in " + say(e) + " of " + e.offsetHeight + " px");
  }
  return found.slice(0, 12);
})()`

// TestExtremeCatalog looks at lists, the first page and games with the longest titles, the highest
// prices, most countries, and without cover or price. `make test` sees each page in one look at most.
func TestExtremeCatalog(t *testing.T) {
	t.Parallel()
	view := viewOf(t, slices.Collect(slices.Chunk(extremeListings(), listings.MaxBatch)))
	w := newWorld(t, withPublicPages, func(w *world, _ *dashboard.Config) { w.live.Swap(view) })
	paths := []string{"/en", "/en/browse", "/en/browse?q=wide", "/en/deals/ua", "/en/deals/main", "/en/deals/all?subscription=any&genres=" + extremeTitles[0][:30]}
	for n := range view.Len() {
		if c := view.Card(n); n%3 == 0 || c.Rows().Len() > 1 {
			paths = append(paths, "/en/games/consolestore/"+c.ID()+"/-", "/en/games/consolestore/"+c.ID()+"/-?country=UA")
		}
	}
	for i, look := range []settings{{"360", browsertest.Options{Width: 360, Height: 740, Language: "ru"}}, {"1280", browsertest.Options{Width: 1280, Height: 800, Language: "uk", Dark: true}}} {
		v := w.browse(look.Options)
		for j, path := range paths {
			if !fullWorld && (j%2 != i || j > 8 && j%8 != i) {
				continue
			}
			v.Go(look.in(path))
			v.Fits()
			var found []string
			if v.Eval(overlaps, &found); len(found) > 0 {
				t.Errorf("%s at %s: %s", path, look.name, strings.Join(found, "\n"))
			}
			if j < 10 && fullWorld {
				v.Shot(fmt.Sprintf("extreme-%d-%s", j, look.name))
			}
		}
	}
}

// TestPillsAreOneLine looks at the sample in all languages, `make test` in Russian: every pill is one
// line, and its text is not cut off.
func TestPillsAreOneLine(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withPublicPages)
	for _, width := range []int{360, 1280} {
		for _, language := range fewer([]string{"ru", "en", "uk"}) {
			v := w.browse(browsertest.Options{Width: width, Height: 800, Language: language})
			for _, path := range []string{"", "/browse", "/browse?types=season-pass", "/browse?types=subscription", "/deals/all?subscription=any", pcWitcher[len("/en"):]} {
				v.Go("/" + language + path)
				var found, cut []string
				v.Eval(overlaps, &found)
				v.Eval(`[...document.querySelectorAll(".badge")].filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => e.textContent)`, &cut)
				if len(found) > 0 || len(cut) > 0 {
					t.Errorf("%s%s at %d: %s; cut off: %q", language, path, width, strings.Join(found, "\n"), cut)
				}
			}
		}
	}
}

package feed_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/catalog"
	"gamedex/internal/feed"
	"gamedex/internal/feed/table"
)

// TestTablesOfPersons checks tables that lack what only this program needs, and whose
// columns have the names that people give them.
func TestTablesOfPersons(t *testing.T) {
	observed := time.Date(2026, 11, 19, 8, 30, 0, 123456789, time.UTC)
	const noted = "no column observedAt: it is 2026-11-19T08:30:00.123Z, the file's time"
	const noPrice = "no column price: the games are announced without one; to name it, give --columns HEADER=price"
	const noIDs = "no column product: the ids come from the titles"
	for _, tt := range []struct {
		name, table string
		options     feed.TableOptions
		notes, want []string
	}{
		{"names of people", "Game;Country;Now;Was;Until\nThe Witcher 3: Wild Hunt®;Germany;29,99 €;39,99 €;2026-12-01\nВедьмак 3;Ukraine;1 049,50 ₴;;2026-12-01 18:00\n", feed.TableOptions{Platform: "pcstore"},
			[]string{"column \"Game\" is read as title", "column \"Country\" is read as region", "column \"Now\" is read as price", "column \"Was\" is read as fullPrice", noted, noIDs},
			[]string{
				"pcstore DE the-witcher-3-wild-hunt slug the-witcher-3-wild-hunt family  EUR 2999/3999 until 2026-12-01T23:59:59.999Z",
				"pcstore UA vedmak-3 slug vedmak-3 family  UAH 104950/104950 until 2026-12-01T18:00:00Z",
			}},
		{"a console, of one region", "title,price\nStar Forge,$5\nスターフォージ,7\n…,7\n,7\n", feed.TableOptions{Platform: "consolestore", Region: "US"},
			[]string{noted, noIDs},
			[]string{
				"consolestore US star-forge slug  family star-forge USD 500/500",
				"consolestore US スターフォージ slug  family スターフォージ USD 700/700",
				`line 4: title: "…" has no letter or digit for a slug: add the columns product and slug`,
				"line 5: title: is required, because the table has no column product",
			}},
		{"a field's own name comes before a usual one", "Game;title;region;platform;price;current price;observedAt\nX;Star;UK;pcstore;5 £;7;2026-11-20\n", feed.TableOptions{},
			[]string{noIDs}, []string{"pcstore GB star slug star family  GBP 500/500"}},
		{"beside hundredths, usual names are no prices", "title;region;platform;product;current;currency;was;observedAt\nStar;UK;consolestore;P1;500;GBP;700;2026-11-20\n", feed.TableOptions{},
			nil, []string{"consolestore GB P1 slug  family  GBP 500/500"}},
		{"ids without slugs", "title;region;platform;product;observedAt\nStar;FRA;pcstore;P1;2026-11-20\nStar;Narnia;pcstore;P1;2026-11-20\n", feed.TableOptions{},
			[]string{noPrice}, []string{"pcstore FR P1 slug star family  no price", `line 3: region: "Narnia" is not a country: write its code (DE, DEU) or its English name (Germany)`}},
		{"other names", "Spiel;Land;Preis heute\nStar;Austria;5,5\n", feed.TableOptions{Platform: "pcstore", Columns: map[string]string{"spiel": "title", "Land": "region", "preis Heute": "price"}},
			[]string{noted, noIDs}, []string{"pcstore AT star slug star family  EUR 550/550"}},
		{"a column that is missing", "Spiel;Land\nStar;Austria\n", feed.TableOptions{Columns: map[string]string{"Game": "title"}},
			nil, []string{`--columns Game=title: the first row has no column "Game"; it has Spiel, Land`}},
		{"an unknown field", "Spiel;Land\nStar;Austria\n", feed.TableOptions{Columns: map[string]string{"Spiel": "titel"}},
			nil, []string{`--columns Spiel=titel: "titel" is no field of the feed`}},
		{"ends with dots", "title;region;platform;price;until;observedAt\nStar;UK;pcstore;5;31.12.2026;2026-11-20\nMoon;UK;pcstore;5;1.12.2026 18:00;20.11.2026\n", feed.TableOptions{},
			[]string{noIDs}, []string{
				"pcstore GB star slug star family  GBP 500/500 until 2026-12-31T23:59:59.999Z",
				"pcstore GB moon slug moon family  GBP 500/500 until 2026-12-01T18:00:00Z",
			}},
		{"ends with slashes, and none", "title;region;platform;price;until;observedAt\nStar;JP;pcstore;5;2026/12/1;2026/11/20\nMoon;JP;pcstore;5;-;2026/11/19 9:00\n", feed.TableOptions{},
			[]string{noIDs}, []string{
				"pcstore JP star slug star family  JPY 500/500 until 2026-12-01T23:59:59.999Z",
				"pcstore JP moon slug moon family  JPY 500/500",
			}},
		{"both decimal marks", "title;region;platform;price;observedAt\nStar;DE;pcstore;5,99;2026-11-20\nStar;UK;pcstore;4.99;2026-11-20\n", feed.TableOptions{},
			[]string{noIDs, `prices have both decimal marks (line 3 has "4.99", line 2 has "5,99"), so each cell is read separately`},
			[]string{"pcstore DE star slug star family  EUR 599/599", "pcstore GB star slug star family  GBP 499/499"}},
		{"sale prices", "title;region;platform;regular price;sale price;observedAt\nStar;DE;pcstore;5,99;;2026-11-20\nMoon;DE;pcstore;5,99;0,00;2026-11-20\nSun;DE;pcstore;5,99;free;2026-11-20\nSky;DE;pcstore;0;0;2026-11-20\n", feed.TableOptions{},
			[]string{`column "regular price" is read as fullPrice`, `column "sale price" is read as price; if empty, fullPrice is the price`, noIDs}, []string{
				"pcstore DE star slug star family  EUR 599/599", `line 3: sale price: "0,00" may mean no discount or a give-away: leave the cell empty, or write free`,
				"pcstore DE sun slug sun family  EUR 0/599", "pcstore DE sky slug sky family  EUR 0/0",
			}},
		{"other names of sale prices", "title;region;platform;base price;discount price;observedAt\nStar;DE;pcstore;5,99;3,99;2026-11-20\n", feed.TableOptions{},
			[]string{`column "base price" is read as fullPrice`, `column "discount price" is read as price; if empty, fullPrice is the price`, noIDs}, []string{"pcstore DE star slug star family  EUR 399/599"}},
		{"no prices", "title;region;platform;Price today;observedAt\nStar;DE;pcstore;5,99;2026-11-20\n", feed.TableOptions{}, []string{noIDs, noPrice}, []string{"pcstore DE star slug star family  no price"}},
		{"currencies in the names of columns", "title;region;platform;Price (EUR);Was US$;observed_at\nStar;PL;pcstore;5,99;;2026-11-20\nStar;DE;pcstore;£5;;2026-11-20\nStar;AT;pcstore;5 €;7;2026-11-20\nStar;US;pcstore;;7;2026-11-20\nStar;JP;pcstore;1.234;;2026-11-20\n", feed.TableOptions{},
			[]string{`column "Price (EUR)" is read as price in EUR`, `column "Was US$" is read as fullPrice in US$`, `column "observed_at" is read as observedAt`, noIDs}, []string{
				"pcstore PL star slug star family  EUR 599/599", `line 3: Price (EUR): "£5" has another currency than the name of its column, EUR`, `line 4: Was US$: "7" is in USD, but Price (EUR) is in EUR`,
				"pcstore US star slug star family  USD -1/700", "pcstore JP star slug star family  EUR 123400/123400",
			}},
		{"a sign of several currencies in a name", "Spiel;region;platform;Preis ($);observedAt\nStar;DE;pcstore;5;2026-11-20\nStar;CA;pcstore;5;2026-11-20\n", feed.TableOptions{Columns: map[string]string{"Spiel": "title", "Preis ($)": "price"}},
			[]string{noIDs}, []string{`line 2: Preis ($): "5" may be in USD, ARS, AUD or another currency: write the code in the cell, or in a column currency`, "pcstore CA star slug star family  CAD 500/500"}},
		{"a given platform beside a column of shops", "Game;Shop;Country;price;observedAt\nStar;Steam;DE;5;2026-11-20\n", feed.TableOptions{Platform: "pcstore"},
			[]string{`column "Game" is read as title`, `column "Country" is read as region`, noIDs}, []string{"pcstore DE star slug star family  EUR 500/500"}},
		{"wrong ends", "title;region;platform;price;until;observedAt\nStar;UK;pcstore;5;1/12/2026;2026-11-20\nStar;UK;pcstore;5;12.31.2026;2026-11-20\n", feed.TableOptions{},
			[]string{noIDs}, []string{
				`line 2: until: "1/12/2026" is not a time such as 2026-11-20T03:00:00Z or 2026-11-20 03:00 (UTC)`,
				`line 3: until: "12.31.2026" is not a time such as 2026-11-20T03:00:00Z or 2026-11-20 03:00 (UTC)`,
			}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.options.ObservedAt, tt.options.ObservedFrom, tt.options.TempDir = observed, "the file's time", t.TempDir()
			r, err := feed.NewTableReader(strings.NewReader(tt.table), clock, tt.options)
			if err != nil {
				if len(tt.want) != 1 || err.Error() != tt.want[0] {
					t.Error(err)
				}
				return
			}
			defer r.Close()
			if diff := cmp.Diff(tt.notes, r.Notes()); diff != "" {
				t.Error(diff)
			}
			got := outcomes(r, func(l *catalog.Listing) string {
				line := fmt.Sprintf("%s %s %s slug %s family %s ", l.Platform, l.Region, l.Product, l.Facts.Slug, l.Facts.Family)
				if p := l.Price; p == nil {
					line += "no price"
				} else {
					line += fmt.Sprintf("%s %d/%d", p.Currency, p.Current, p.Base)
					if p.DiscountEndsAt != 0 {
						line += " until " + p.DiscountEndsAt.Time().Format(time.RFC3339Nano)
					}
				}
				if want := catalog.MillisOf(observed); slices.Contains(tt.notes, noted) && l.ObservedAt != want {
					t.Errorf("observed at %v, want %v", l.ObservedAt, want)
				}
				return line
			})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSlug(t *testing.T) {
	for title, want := range map[string]string{
		"The Witcher 3: Wild Hunt": "the-witcher-3-wild-hunt", "Ведьмак 3: Дикая Охота": "vedmak-3-dikaya-okhota", "Ґанок": "ganok", "Pokémon™ — Let’s Go!": "pokemon-lets-go",
		"Star &amp; Moon": table.Slug("Star & Moon"), "スターフォージ": "スターフォージ", "…": "", "": "",
		strings.Repeat("long ", 40): strings.Repeat("long-", 24) + "long", strings.Repeat("x", 200): strings.Repeat("x", 128), strings.Repeat("漢", 50): strings.Repeat("漢", 42),
	} {
		got := table.Slug(title)
		if got != want {
			t.Errorf("%q: %q, want %q", title, got, want)
		}
		if got != catalog.Slug(got) {
			t.Errorf("%q: %q is not a slug", title, got)
		}
	}
}

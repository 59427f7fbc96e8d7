package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"sort"
	"strconv"

	"gamedex/internal/builder"
	"gamedex/internal/catalog"
	"gamedex/internal/feed/table"
	"gamedex/internal/history"
	"gamedex/internal/money"
	"gamedex/internal/node"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/listings"
)

// priceColumns are the columns of a table of past prices. base and current are hundredths,
// usd is in dollars.
var priceColumns = []string{"id", "title", "platform", "alpha2", "from", "until", "currency", "base", "current", "usd"}

// exportPrices writes a row for each time in which a selected listing had one price.
func (c *commands) exportPrices(ctx context.Context, db *sqldb.DB, out io.Writer, f listings.Filter, now catalog.Millis) error {
	overrides, err := c.overrides(db).Read(ctx)
	if err != nil {
		return err
	}
	rates, err := readDollarRates(ctx, db, now.Day())
	if err != nil {
		return err
	}
	rows := csv.NewWriter(out)
	if err := rows.Write(priceColumns); err != nil {
		return err
	}
	from := node.NewDatabase(db, now.Time)
	err = builder.EachPast(ctx, from, db.Listings, overrides, func(past builder.Past) error {
		if f.Platform != 0 && f.Platform != past.Platform || f.Region != (catalog.Region{}) && f.Region != past.Region {
			return nil
		}
		for _, s := range history.Prices(past.Steps, now) {
			usd, err := rates.usd(&s)
			if err != nil {
				return err
			}
			err = rows.Write([]string{table.Guard(past.Card), table.Guard(past.Title), past.Platform.String(), past.Region.String(),
				timestampOf(s.At), timestampOf(s.Until), string(s.Currency), hundredths(s.Base), hundredths(s.Current), usd})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	rows.Flush()
	return rows.Error()
}

// timestampOf returns a time as the API prints it; "" for none.
func timestampOf(at catalog.Millis) string {
	if at == 0 {
		return ""
	}
	return stamp(int64(at))
}

func hundredths(a money.Amount) string {
	if !a.Known() {
		return ""
	}
	return strconv.FormatInt(int64(a), 10)
}

// dollarRates converts past prices with the exchange rates of their days.
type dollarRates struct {
	tables []history.DayRates // by day
	known  map[dayCurrency]money.Converter
}

type dayCurrency struct {
	day      int64
	currency money.Currency
}

// readDollarRates reads the exchange rates of all days up to today.
func readDollarRates(ctx context.Context, db *sqldb.DB, today int64) (*dollarRates, error) {
	d := &dollarRates{known: map[dayCurrency]money.Converter{}}
	return d, db.Nodes.EachDayRates(ctx, 0, today, func(r history.DayRates) error {
		r.Body = bytes.Clone(r.Body)
		d.tables = append(d.tables, r)
		return nil
	})
}

// usd returns the dollars of a price by the rates of the day on which it began, or else the
// newest ones of the days before that are not too old; "" without any.
func (d *dollarRates) usd(s *history.Span) (string, error) {
	at := dayCurrency{s.At.Day(), s.Currency}
	converter, known := d.known[at]
	if !known {
		var rates money.Rates // none: they convert only dollars
		next := sort.Search(len(d.tables), func(i int) bool { return d.tables[i].Day > at.day })
		if next > 0 && d.tables[next-1].Day >= at.day-history.RatesDays {
			var err error
			if rates, err = money.ParsePastRates(d.tables[next-1].Body, map[money.Currency]bool{at.currency: true}); err != nil {
				return "", fmt.Errorf("rates of day %d: %w", d.tables[next-1].Day, err)
			}
		}
		converter = rates.Converter(at.currency, money.USD)
		d.known[at] = converter
	}
	cents, ok := converter.Cents(s.Current)
	if !ok {
		return "", nil
	}
	return string(money.AppendUSD(nil, cents)), nil
}

package feed_test

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/catalog"
	"gamedex/internal/feed"
	"gamedex/internal/money"
)

// understood returns what a table means: a line for each listing and refusal, in order.
func understood(t *testing.T, table string, options feed.TableOptions) []string {
	t.Helper()
	r, err := feed.NewTableReader(strings.NewReader(table), clock, options)
	if err != nil {
		return []string{err.Error()}
	}
	defer r.Close()
	return outcomes(r, func(l *catalog.Listing) string {
		if l.Price == nil {
			return fmt.Sprintf("%s %s no price", l.Facts.Title, l.Region)
		}
		return fmt.Sprintf("%s %s %s %d/%d", l.Facts.Title, l.Region, l.Price.Currency, l.Price.Current, l.Price.Base)
	})
}

// spreadsheet returns a table of console listings with the given columns and rows, in which
// each row begins with a region.
func spreadsheet(separator, end, columns string, rows ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "platform|product|title|observedAt|region|%s\n", columns)
	for i, row := range rows {
		fmt.Fprintf(&b, "consolestore|P%d|G%d|2026-11-20|%s\n", i+1, i+1, row)
	}
	return strings.NewReplacer("|", separator, "\n", end).Replace(b.String())
}

// TestTablePrices checks amounts as people have them in their tables.
func TestTablePrices(t *testing.T) {
	for _, tt := range []struct {
		name, table string
		decimal     rune
		want        []string
	}{
		{"Excel in German, with a byte order mark", "\ufeff" + spreadsheet(";", "\r\n", "price|fullPrice", "DE|29,99 €|39,99 €", "AT|1.049,99 €|1.299,00 €", "DE|30|", "DE||59"), 0,
			[]string{"G1 DE EUR 2999/3999", "G2 AT EUR 104999/129900", "G3 DE EUR 3000/3000", "G4 DE EUR -1/5900"}},
		{"Excel's line for the separator", "\ufeffsep=;\r\n" + spreadsheet(";", "\r\n", "price|currency", "DE|19,99|EUR"), 0, []string{"G1 DE EUR 1999/1999"}},
		{"Google Sheets in English", spreadsheet(",", "\r\n", "price|fullPrice", `US|$29.99|"$1,039.99"`, "CA|$5|", "AU|A$7.50|"), 0,
			[]string{"G1 US USD 2999/103999", "G2 CA CAD 500/500", "G3 AU AUD 750/750"}},
		{"pandas", spreadsheet(",", "\n", "price|fullPrice|currency", "DE|29.99|39.9|EUR", "DE|30.0|30.0|EUR", "DE|0.0|19.99|EUR"), 0,
			[]string{"G1 DE EUR 2999/3990", "G2 DE EUR 3000/3000", "G3 DE EUR 0/1999"}},
		{"Excel in French", "\ufeff" + spreadsheet(";", "\r\n", "price", "FR|1\u202f049,99\u00a0€", "FR|19€", "FR|19€99"), 0,
			[]string{"G1 FR EUR 104999/104999", "G2 FR EUR 1900/1900", `line 4: price: "19€99" is not an amount such as 19.99 or 1.049,99 €`}},
		{"Swiss", spreadsheet("\t", "\n", "price|fullPrice", "CH|CHF 49.90|CHF 1'299.–", "CH|1’099.90|", "CH|19.-|"), 0,
			[]string{"G1 CH CHF 4990/129900", "G2 CH CHF 109990/109990", "G3 CH CHF 1900/1900"}},
		{"Brazilian", spreadsheet(";", "\n", "price", "BR|R$ 1.299,90", "BR|R$59", "BR|$ 5"), 0, []string{"G1 BR BRL 129990/129990", "G2 BR BRL 5900/5900", "G3 BR BRL 500/500"}},
		{"Ukrainian", spreadsheet(";", "\n", "price", "UA|1 299 ₴", "UA|899,00 грн.", "UA|1 299,5 UAH"), 0, []string{"G1 UA UAH 129900/129900", "G2 UA UAH 89900/89900", "G3 UA UAH 129950/129950"}},
		{"Korean and Vietnamese", spreadsheet(";", "\n", "price", "KR|₩59,800", "VN|1,290,000 ₫"), 0, []string{"G1 KR KRW 5980000/5980000", "G2 VN VND 129000000/129000000"}},
		{"Swedish", spreadsheet(";", "\n", "price", "SE|599 kr", "SE|1 099,50 kr.", "NO|599:-", "DE|99 kr"), 0,
			[]string{"G1 SE SEK 59900/59900", "G2 SE SEK 109950/109950", "G3 NO NOK 59900/59900", `line 5: price: "99 kr" may be in SEK, NOK, DKK or another currency: write the code in the cell, or in a column currency`}},
		{"Arabic digits", spreadsheet(";", "\n", "price", "EG|١٬٢٣٤٫٥٠", "SA|٩٩ ر.س."), 0, []string{"G1 EG EGP 123450/123450", "G2 SA SAR 9900/9900"}},
		{"pandas with its index, and prices that a float spoiled", spreadsheet(",", "\n", "price|", "US|19.99|0", "US|19.990000000000002|1", "US|1e2|2"), 0,
			[]string{"G1 US USD 1999/1999", `line 3: price: "19.990000000000002" has 15 decimals, and USD has 2: write two`, `line 4: price: "1e2" is not an amount: "e" is no currency, or not that of the rest`}},
		{"all cells quoted, by LibreOffice", strings.NewReplacer(";", `";"`, "\n", "\"\n\"").Replace(`"`+strings.TrimSuffix(spreadsheet(";", "\n", "price", "GB|£1,024.50", "GB|"), "\n")) + `"`, 0,
			[]string{"G1 GB GBP 102450/102450", "G2 GB no price"}},
		{"no amounts at all", spreadsheet(";", "\n", "price|fullPrice", "GB||"), 0, []string{"G1 GB no price"}},
		{"dinars", spreadsheet(";", "\n", "price", "KW|1.250", "BH|12.5", "JO|1.255", "OM|2.50 OMR", "TN|1,250"), 0,
			[]string{"G1 KW KWD 125/125", "G2 BH BHD 1250/1250",
				`line 4: price: "1.255" has a third decimal, but prices are kept in hundredths: round it to two decimals`, "G4 OM OMR 250/250",
				`line 6: price: "1,250" may have thousands or the three decimals of TND: write it without thousands and with two decimals`}},
		{"nothing decides", spreadsheet(";", "\n", "price|fullPrice", "DE|1.234|", "DE|30|"), 0,
			[]string{`price, fullPrice: line 2 has "1.234", and no cell shows whether that is a decimal mark or separates thousands: give --decimal "," or --decimal "."`}},
		{"a given comma decides", spreadsheet(";", "\n", "price|fullPrice", "DE|1.234|", "DE|30|"), ',', []string{"G1 DE EUR 123400/123400", "G2 DE EUR 3000/3000"}},
		{"a given point", spreadsheet(";", "\n", "price", "DE|1.234", "DE|19.99"), '.', []string{`line 2: price: "1.234" has 3 decimals, and EUR has 2: write two`, "G2 DE EUR 1999/1999"}},
		{"another column decides", spreadsheet(";", "\n", "price|fullPrice", "DE|1.234|", "DE|30|39,99"), 0, []string{"G1 DE EUR 123400/123400", "G2 DE EUR 3000/3999"}},
		{"both marks", spreadsheet(";", "\n", "price|fullPrice", "DE|1.049,99 €|1.299,00 €", "GB|£7.49|", "DE|30 €|1 234", "JP|¥1,500|", "US|.5|$1,234.00", "DE|1.234 €|", "GB|£1|£1,299", "KW|1.250|"), 0,
			[]string{"G1 DE EUR 104999/129900", "G2 GB GBP 749/749", "G3 DE EUR 3000/123400", "G4 JP JPY 150000/150000", "G5 US USD 50/123400",
				`line 7: price: "1.234 €" may have thousands or decimals, and other cells have both decimal marks: write it without thousands or with two decimals`,
				`line 8: fullPrice: "£1,299" may have thousands or decimals, and other cells have both decimal marks: write it without thousands or with two decimals`,
				`line 9: price: "1.250" may have thousands or decimals, and other cells have both decimal marks: write it without thousands or with two decimals`}},
		{"marks contradict what is given", spreadsheet(";", "\n", "price", "DE|19,99", "US|19.99"), ',',
			[]string{"G1 DE EUR 1999/1999", `line 3: price: "19.99" is not an amount with the decimal mark ","`}},
		{"pandas with its index and nan", "," + strings.ReplaceAll(spreadsheet(",", "\n", "price|fullPrice", "DE|19.99|nan", "DE|NaN|nan", "US|1049.5|<NA>", "US|None|39.9"), "\nc", "\n0,c"), 0,
			[]string{"G1 DE EUR 1999/1999", "G2 DE no price", "G3 US USD 104950/104950", "G4 US USD -1/3990"}},
		{"Google Sheets with a title in merged cells", "Game prices,,,,,\r\n" + spreadsheet(",", "\r\n", "price", "US|$5"), 0,
			[]string{`the first row must name the columns; it has only "Game prices": delete the rows above the names`}},
		{"Google Sheets with a row of totals", spreadsheet(",", "\r\n", "price", "US|$5.00", "US|$5.50") + ",,Total,,,$10.50\r\n", 0,
			[]string{"G1 US USD 500/500", "G2 US USD 550/550", `line 4: platform: is required`}},
		{"Japanese, full width", spreadsheet(",", "\r\n", "price|fullPrice", `JP|￥７，８００|"￥１０，７８０"`, "JP|１９８０円|", `JP|"1,078円(税込)"|`, "JP|０|"), 0,
			[]string{"G1 JP JPY 780000/1078000", "G2 JP JPY 198000/198000", `line 4: price: "1,078円(税込)" is not an amount: "税込" is no currency, or not that of the rest`, "G4 JP JPY 0/0"}},
		{"Indian lakhs", spreadsheet("\t", "\n", "price", "IN|1,29,999", "IN|Rs. 1,29,999/-", "IN|₹12,34,567.50", "IN|Rs.499", "IN|1.3 lakh"), 0,
			[]string{"G1 IN INR 12999900/12999900", "G2 IN INR 12999900/12999900", "G3 IN INR 123456750/123456750", "G4 IN INR 49900/49900", `line 6: price: "1.3 lakh" is not an amount: "lakh" is no currency, or not that of the rest`}},
		{"Turkish, and one without thousands", spreadsheet(";", "\r\n", "price", "TR|1.299,00 TL", "TR|1299TL", "TR|₺ 99,9", "TR|TRY 12.345.678"), 0,
			[]string{"G1 TR TRY 129900/129900", "G2 TR TRY 129900/129900", "G3 TR TRY 9990/9990", "G4 TR TRY 1234567800/1234567800"}},
		{"Polish with no-break spaces", spreadsheet(";", "\r\n", "price", "PL|1\u00a0049,99\u00a0zł", "PL|49,99zł", "PL|1\u202f249\u00a0zł", "PL|1 049 99"), 0,
			[]string{"G1 PL PLN 104999/104999", "G2 PL PLN 4999/4999", "G3 PL PLN 124900/124900", `line 5: price: "1 049 99" is not an amount such as 19.99 or 1.049,99 €`}},
		{"dinars with three decimals", spreadsheet(",", "\n", "price", "KW|KWD 12.500", "BH|0.750", `BH|"1,049.990"`, "KW|0.755", "KW|1.5.0"), 0,
			[]string{"G1 KW KWD 1250/1250", "G2 BH BHD 75/75", "G3 BH BHD 104999/104999", `line 5: price: "0.755" has a third decimal, but prices are kept in hundredths: round it to two decimals`,
				`line 6: price: "1.5.0" is not an amount with the decimal mark "."`}},
		{"amounts that begin with the mark", spreadsheet("\t", "\n", "price", "US|$.99", "US|.5", "GB|£ .75", "PE|S/.49.90", "PE|S/.49", "US|.999"), 0,
			[]string{"G1 US USD 99/99", "G2 US USD 50/50", "G3 GB GBP 75/75", "G4 PE PEN 4990/4990", "G5 PE PEN 4900/4900", `line 7: price: ".999" has 3 decimals, and USD has 2: write two`}},
		{"Excel's CSV in Windows-1252", spreadsheet(";", "\r\n", "price", "DE|\xa37,49", "DE|7,49 \ufffd", "DE|7,49"), 0,
			[]string{"line 2: price: is not valid UTF-8: save the table as CSV in UTF-8", "line 3: price: \"7,49 \ufffd\" is not an amount such as 19.99 or 1.049,99 €", "G3 DE EUR 749/749"}},
		{"amounts that are not exact", spreadsheet(";", "\n", "price", "DE|19⁹⁹", "DE|19½", "DE|<5,00", "DE|~20", "DE|20+", "DE|5²"), 0,
			[]string{`line 2: price: "19⁹⁹" is not an amount such as 19.99 or 1.049,99 €`, `line 3: price: "19½" is not an amount such as 19.99 or 1.049,99 €`, `line 4: price: "<5,00" is not an amount such as 19.99 or 1.049,99 €`,
				`line 5: price: "~20" is not an amount such as 19.99 or 1.049,99 €`, `line 6: price: "20+" is not an amount such as 19.99 or 1.049,99 €`, `line 7: price: "5²" is not an amount such as 19.99 or 1.049,99 €`}},
		{"German words", spreadsheet(";", "\r\n", "price|fullPrice", "DE|19,99 Euro|–", "DE|kostenlos|29,– €", "DE|TBA|", "DE|29 euro|39,— €", "DE|€|", "DE|1 Mai|"), 0,
			[]string{"G1 DE EUR 1999/1999", "G2 DE EUR 0/2900", `line 4: price: "TBA" has no number: write an amount such as 19.99 or 1.049,99 €, or leave the cell empty`, "G4 DE EUR 2900/3900",
				`line 6: price: "€" has no number: write an amount such as 19.99 or 1.049,99 €, or leave the cell empty`, `line 7: price: "1 Mai" is not an amount: "Mai" is no currency, or not that of the rest`}},
		{"amounts that Excel took for dates", spreadsheet(";", "\r\n", "price", "DE|01.05.2026", "DE|1.5.26", "DE|19,5", "DE|19:99"), 0,
			[]string{`line 2: price: "01.05.2026" is not an amount with the decimal mark ","`, `line 3: price: "1.5.26" is not an amount with the decimal mark ","`, "G3 DE EUR 1950/1950", `line 5: price: "19:99" is not an amount such as 19.99 or 1.049,99 €`}},
		{"Excel's format of accountants", spreadsheet("\t", "\r\n", "price", "US| $ 1,049.99 ", "US| $  -   ", "US| $ (5.00)", "US|-"), 0,
			[]string{"G1 US USD 104999/104999", `line 3: price: "$  -" has no number: write an amount such as 19.99 or 1.049,99 €, or leave the cell empty`, `line 4: price: "$ (5.00)" is not an amount such as 19.99 or 1.049,99 €`, "G4 US no price"}},
		{"a shop with regular and sale prices", spreadsheet(",", "\n", "Regular price|Sale price", "US|59.99|39.99", "US|59.99|", "US||", "DE|59.99 EUR|"), 0,
			[]string{"G1 US USD 3999/5999", "G2 US USD 5999/5999", "G3 US no price", "G4 DE EUR 5999/5999"}},
		{"Czech and Hungarian", spreadsheet("\t", "\n", "price", "CZ|1 299 Kč", "CZ|99,90 Kč", "HU|12 990 Ft", "HU|12.990 Ft"), 0,
			[]string{"G1 CZ CZK 129900/129900", "G2 CZ CZK 9990/9990", "G3 HU HUF 1299000/1299000", "G4 HU HUF 1299000/1299000"}},
		{"Chinese", spreadsheet("\t", "\n", "price", "CN|¥298.00", "TW|NT$1,790", "HK|HK$ 468", "CN|298元", "JP|298元"), 0,
			[]string{"G1 CN CNY 29800/29800", "G2 TW TWD 179000/179000", "G3 HK HKD 46800/46800", "G4 CN CNY 29800/29800",
				`line 6: price: "298元" may be in CNY, TWD, HKD or another currency: write the code in the cell, or in a column currency`}},
		{"only thousands decide", spreadsheet(";", "\n", "price", "ID|Rp 1.299.000", "ID|Rp 129.000"), 0, []string{"G1 ID IDR 129900000/129900000", "G2 ID IDR 12900000/12900000"}},
		{"currencies", spreadsheet(";", "\n", "price|fullPrice|currency", "DE|$5|", "DE|$5||EUR", "DE|$5||USD", "DE|5 €||USD", "DE|5 USD||", "DE|5 €|$7|", "UA|5|7|", "DE|5|7 USD|"), 0,
			[]string{
				"line 2: has 7 cells, the first row has 8: put a cell with a separator or a line end in quotes",
				`line 3: price: "$5" may be in USD, ARS, AUD or another currency: write the code in the cell, or in a column currency`,
				"G3 DE USD 500/500",
				`line 5: price: "5 €" is in EUR, but the column currency has USD`,
				"G5 DE USD 500/500",
				`line 7: fullPrice: "$7" may be in USD, ARS, AUD or another currency: write the code in the cell, or in a column currency`,
				"G7 UA UAH 500/700",
				"G8 DE USD 500/700",
			}},
		{"wrong cells", spreadsheet(";", "\n", "price|fullPrice|currency", "DE|ab 5 €||", "DE|-5||", "DE|n a||", "DE|50%||", "DE|1.2.3||", "DE|19.99k||", "DE|5.00|4.00|", "DE|Free|10|", "DE|||", "DE|||EUR", "ZZ|5||", "DE|5||EURO", "DE|5 - 10||", "DE|1.5E+3||", "AQ|5||"), 0,
			[]string{
				`line 2: price: "ab 5 €" is not an amount: "ab" is no currency, or not that of the rest`,
				`line 3: price: "-5" is not an amount such as 19.99 or 1.049,99 €`,
				`line 4: price: "n a" has no number: write an amount such as 19.99 or 1.049,99 €, or leave the cell empty`,
				`line 5: price: "50%" is not an amount such as 19.99 or 1.049,99 €`,
				`line 6: price: "1.2.3" is not an amount with the decimal mark "."`,
				`line 7: price: "19.99k" is not an amount: "k" is no currency, or not that of the rest`,
				`line 8: price: "5.00" is above fullPrice "4.00"`,
				"G8 DE EUR 0/1000", "G9 DE no price", "G10 DE no price",
				`line 12: region: "ZZ" is not a country: write its code (DE, DEU) or its English name (Germany)`,
				`line 13: currency: "EURO" is not an ISO 4217 code in use at observedAt`,
				`line 14: price: "5 - 10" is not an amount such as 19.99 or 1.049,99 €`,
				`line 15: price: "1.5E+3" is not an amount: "E" is no currency, or not that of the rest`,
				`line 16: currency: is required`,
			}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, understood(t, tt.table, feed.TableOptions{Decimal: tt.decimal, TempDir: t.TempDir()})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestTablePriceCopies checks that a table that is copied, because its cells decide, is read
// to where its input ends.
func TestTablePriceCopies(t *testing.T) {
	table := spreadsheet(",", "\n", "price", strings.Split(strings.Repeat("DE|19.99 ", 3000)+`DE|"1.234`, " ")...)
	got := understood(t, table, feed.TableOptions{TempDir: t.TempDir()})
	if len(got) != 3001 || got[2999] != "G3000 DE EUR 1999/1999" || !strings.HasPrefix(got[3000], "line 3002: has a quote") {
		t.Errorf("%d lines, %q", len(got), got[max(0, len(got)-2):])
	}
	whole := gzipped(t, table)
	r, err := feed.NewTableReader(strings.NewReader(whole[:len(whole)-9]), clock, feed.TableOptions{TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	n := 0
	for l := (catalog.Listing{}); err == nil; n++ {
		_, err = r.Next(&l)
	}
	if n != 3001 || !strings.Contains(err.Error(), "truncated") {
		t.Errorf("a truncated table: %d rows, then %v", n-1, err)
	}
}

// TestTablePriceIsNeverAnother checks that an amount in the form of any region is read as it
// is, whatever the rows beside it are, or refused.
func TestTablePriceIsNeverAnother(t *testing.T) {
	var f money.Formatter
	rows, read := 0, 0
	for _, region := range []string{"DE", "US", "IN", "JP", "PL", "CH", "KW", "TN", "CL", "IS", "BR", "UA", "SE", "FR", "VN", "EG", "ID", "HU"} {
		c, _ := money.RegionCurrency(region)
		for _, amounts := range [][]money.Amount{{123400}, {123400, 1999}, {100000, 123456700}, {123400, 123450}, {5, 100}} {
			var cells, want []string
			for i, a := range amounts {
				cells = append(cells, region+"|"+f.Format(region, c, a))
				want = append(want, fmt.Sprintf("G%d %s %s %d/%d", i+1, region, c, a, a))
			}
			rows += len(cells)
			for _, line := range understood(t, spreadsheet("\t", "\n", "price", cells...), feed.TableOptions{TempDir: t.TempDir()}) {
				if !strings.HasPrefix(line, "G") {
					continue // refused
				}
				if read++; !slices.Contains(want, line) {
					t.Errorf("%q: %s", cells, line)
				}
			}
		}
	}
	if read*10 < rows*9 {
		t.Errorf("%d of %d rows were refused", rows-read, rows)
	}
}

// FuzzTablePrices checks that amounts are never read as another one than their text may
// mean, and that the reader never panics.
func FuzzTablePrices(f *testing.F) {
	for _, cells := range [][3]string{
		{"DE", "1.049,99 €", "1.299,00"}, {"US", "$5", ""}, {"KW", "1.250", "12.5"}, {"JP", "¥1,500", "１，５００円"}, {"IN", "Rs. 1,29,999.00", "Free"},
		{"CH", "19.– CHF", "1’299.90"}, {"EG", "١٬٢٣٤٫٥٠", "-5"}, {"PL", "1\u00a0299 zł", "1.2.3"}, {"Germany", "(5)", "19,-"},
	} {
		f.Add(cells[0], cells[1], cells[2])
	}
	dir := f.TempDir() // for all: to make one takes longer than to read a table
	f.Fuzz(func(t *testing.T, region, now, full string) {
		var b strings.Builder
		w := csv.NewWriter(&b)
		for _, row := range [][]string{{"title", "region", "price", "fullPrice"}, {"G", region, now, full}, {"G", region, now, ""}} {
			if err := w.Write(row); err != nil {
				t.Skip()
			}
		}
		w.Flush()
		r, err := feed.NewTableReader(strings.NewReader(b.String()), clock, feed.TableOptions{Platform: "pcstore", ObservedAt: clock(), TempDir: dir})
		if err != nil {
			return
		}
		defer r.Close()
		for l := (catalog.Listing{}); err != io.EOF; {
			if _, err = r.Next(&l); err != nil || l.Price == nil {
				continue
			}
			if a := l.Price.Current; a.Known() && !slices.Contains(money.ReadText(now), a) && !(a == 0 && money.IsFree(strings.TrimSpace(now))) {
				t.Errorf("%q is %d, want one of %v", now, a, money.ReadText(now))
			}
			if a := l.Price.Base; a.Known() && a != l.Price.Current && !slices.Contains(money.ReadText(full), a) && !(a == 0 && money.IsFree(strings.TrimSpace(full))) {
				t.Errorf("%q is %d, want one of %v", full, a, money.ReadText(full))
			}
		}
	})
}

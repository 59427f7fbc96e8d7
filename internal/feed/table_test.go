package feed_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/catalog"
	"gamedex/internal/feed"
)

// tableOf returns a table with the columns that every row needs, and one row.
func tableOf(names, cells string) string {
	return "platform,region,product,title,observedAt" + names + "\nconsolestore,TR,P1,Star Forge,2026-11-20T03:00:00Z" + cells + "\n"
}

func tableReader(t fataler, input io.Reader) *feed.Reader {
	t.Helper()
	r, err := feed.NewTableReader(input, clock, feed.TableOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestTableRows checks that a row is read like a line.
func TestTableRows(t *testing.T) {
	simple := tableOf("", "")
	tests := []struct{ name, table, means string }{
		{"comma", simple, console(``)},
		{"semicolon", strings.ReplaceAll(simple, ",", ";"), console(``)},
		{"tab", strings.ReplaceAll(simple, ",", "\t"), console(``)},
		{"tabs and empty cells", strings.ReplaceAll(tableOf(",family,slug", ",,x"), ",", "\t"), console(`"slug":"x"`)},
		{"commas in a quoted name", strings.NewReplacer(",", ";", "@", ",").Replace(tableOf(`,"a@b@c@d@e@f@g"`, ",")), console(``)},
		{"byte order mark and CRLF", "\ufeff" + strings.ReplaceAll(simple, "\n", "\r\n"), console(``)},
		{"Excel's line for the separator", "sep=;\r\n" + strings.ReplaceAll(simple, ",", ";"), console(``)},
		{"gzip", gzipped(t, simple), console(``)},
		{"zstd", zstded(t, "\ufeff"+simple), console(``)},
		{"no end on the last line", strings.TrimSuffix(simple, "\n"), console(``)},
		{"empty rows", strings.Replace(simple, "\n", "\n,,,,\n\n\r\n", 1) + ",,,,\n", console(``)},
		{"names in any case, with spaces", strings.Replace(simple, "platform,region", " Platform , REGION", 1), console(``)},
		{"spaces around cells", strings.ReplaceAll(simple, ",", " , "), console(``)},
		{"columns without a name", tableOf(",,", ",0,7"), console(``)},
		{"empty cells behind the last column", tableOf("", ",,"), console(``)},
		{"empty cells", tableOf(",family,demo,popularity,genres,titles.ru,base,currency,releaseDate", ",,,,,,,,"), console(``)},
		{"quotes and line ends in a cell", tableOf(",description", `,"a ""b""`+"\r\n"+`c"`), console(`"description":"a \"b\"\nc"`)},
		{"unknown columns", tableOf(",vat,price.vat,note,note", ",20,1,a,b"), console(``)},
		{"booleans", tableOf(",demo,trial,currency,current", ",TRUE,True,TRY,0"), console(`"demo":true,"price":{"currency":"TRY","current":0,"trial":true}`)},
		{"false booleans", tableOf(",demo,withdrawn,subscription", ",FALSE,0,no"), console(``)},
		{"a currency alone is no price", tableOf(",currency,source,trial", ",TRY,feed,false"), console(``)},
		{"prices", tableOf(",currency,price.base,Current,discountPercent", ",try,4000,1000,75.0"), price(`"currency":"TRY","base":4000,"current":1000`)},
		{"popularity", tableOf(",popularity", ",1.5e3"), console(`"popularity":1500`)},
		{"date and time", strings.Replace(tableOf(",releaseDate", ",2026-10-01 00:00:00"), "2026-11-20T03:00:00Z", "2026-11-20 03:00:00", 1), console(`"releaseDate":"2026-10-01"`)},
		{"dates with dots", strings.Replace(tableOf(",releaseDate", ",1.10.2026"), "2026-11-20T03:00:00Z", "20.11.2026 03:00:00", 1), console(`"releaseDate":"2026-10-01"`)},
		{"a day with dots", strings.Replace(simple, "2026-11-20T03:00:00Z", "20.11.2026", 1), console(`"observedAt":"2026-11-20T00:00:00Z"`)},
		{"time of pandas", strings.Replace(simple, "2026-11-20T03:00:00Z", "2026-11-20 06:00:00.000000+03:00", 1), console(``)},
		{"time without seconds", strings.Replace(simple, "2026-11-20T03:00:00Z", "2026-11-20 03:00", 1), console(``)},
		{"a day", strings.Replace(simple, "2026-11-20T03:00:00Z", "2026-11-20", 1), console(`"observedAt":"2026-11-20T00:00:00Z"`)},
		{"lists", tableOf(",genres,titleIds,platforms,members,aliases", `,"Action, Adventure|RPG","PPSA00001; CUSA00002",PS5,"[""a,b"",""c""]","a`+"\n"+`b"`),
			console(`"genres":["Action, Adventure","RPG"],"titleIds":["PPSA00001","CUSA00002"],"platforms":["PS5"],"members":["a,b","c"],"aliases":["a","b"]`)},
		{"a list with commas", tableOf(",genres", `,"Action, RPG,"`), console(`"genres":["Action","RPG"]`)},
		{"names in other languages", tableOf(",titles.ru,Titles.en", ",Кузница,Forge"), console(`"titles":{"ru":"Кузница","en":"Forge"}`)},
		{"text that looks like JSON", tableOf(",family,edition", `,null,"{""a"":1}"`), console(`"family":"null","edition":"{\"a\":1}"`)},
		{"a title that begins with #", strings.Replace(simple, "Star Forge", "#DRIVE", 1), console(`"title":"#DRIVE"`)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, in := range []io.Reader{strings.NewReader(tt.table), iotest.OneByteReader(strings.NewReader(tt.table))} {
				all, refused := readAll(t, tableReader(t, in))
				if len(all) != 1 || len(refused) > 0 {
					t.Fatalf("read %d listings, refused %v", len(all), refused)
				}
				if diff := cmp.Diff(read(t, tt.means), all[0]); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}

// TestTableRefuses checks that an error names line, column and reason, and that the rows
// behind it are read.
func TestTableRefuses(t *testing.T) {
	for _, tt := range []struct{ names, cells, want string }{
		{",currency,current", ",TRY,19.99", `line 2: current: 19.99 must be whole hundredths: 1999`},
		{",currency,current", `,TRY,"19,99"`, `line 2: current: "19,99" must be whole hundredths, in digits only and without leading zeros: 1999 for a price of 19.99; to write 19.99, name the columns price and fullPrice`},
		{",currency,current", ",TRY,1999.0", `line 2: current: "1999.0" must be whole hundredths without a fraction: 1999 or 199900`},
		{",currency,current", ",TRY,1.999", `line 2: current: 1.999 must be whole hundredths`},
		{",genres", `,"[""\ud800""]"`, `line 2: genres: "[\"\\ud800\"]" is not a JSON list of texts such as ["RPG","Action"]; entries may also be separated by |`},
		{",genres", `,"[""RPG"",null]"`, `line 2: genres: "[\"RPG\",null]" is not a JSON list of texts such as ["RPG","Action"]; entries may also be separated by |`},
		{",currency,current", `,TRY,"1,999"`, `line 2: current: "1,999" must be whole hundredths, in digits only and without leading zeros: 1999 for a price of 19.99; to write 19.99, name the columns price and fullPrice`},
		{",currency,base", ",TRY,$1999", `line 2: base: "$1999" must be whole hundredths, in digits only and without leading zeros: 1999 for a price of 19.99; to write 19.99, name the columns price and fullPrice`},
		{",currency,base", ",TRY,0199", `line 2: base: "0199" must be whole hundredths, in digits only and without leading zeros: 1999 for a price of 19.99; to write 19.99, name the columns price and fullPrice`},
		{",currency,base", ",TRY,-1", `line 2: base: "-1" must be whole hundredths, in digits only and without leading zeros: 1999 for a price of 19.99; to write 19.99, name the columns price and fullPrice`},
		{",currency,base,current", ",TRY,1,2", `line 2: current: 2 is above base 1`},
		{",base", ",1", `line 2: currency: is required`},
		{",price.currency,Price.Base", ",TRY,-1", `line 2: Price.Base: "-1" must be whole hundredths, in digits only and without leading zeros: 1999 for a price of 19.99; to write 19.99, name the columns price and fullPrice`},
		{",CURRENCY,BASE,price.Current", ",TRY,1,2", `line 2: price.Current: 2 is above base 1`},
		{",CURRENCY,current", ",EURO,2", `line 2: CURRENCY: "EURO" is not an ISO 4217 code in use at observedAt`},
		{",Genres", ",a\x00b", `line 2: Genres: "a\x00b" holds a NUL character`},
		{",Titles.RU", `,` + strings.Repeat("x", 501), `line 2: Titles.RU: "` + strings.Repeat("x", 60) + `…" is longer than 500 characters`},
		{",discountPercent", ",50", `line 2: price: has no number and no text`},
		{",discountPercent,currentText", ",a half,Soon", `line 2: discountPercent: "a half" is not a whole number`},
		{",demo", ",WAHR", `line 2: demo: "WAHR" is not true or false`},
		{",popularity", `,"1,5"`, `line 2: popularity: "1,5" is not a number of 0 or more, with a decimal point`},
		{",releaseDate", ",01/10/2026", `line 2: releaseDate: "01/10/2026" is not a date (YYYY-MM-DD)`},
		{",firstSeenAt", ",11/20/2026 3:00", `line 2: firstSeenAt: "11/20/2026 3:00" is not a time such as 2026-11-20T03:00:00Z or 2026-11-20 03:00 (UTC)`},
		{",family", ",1.00012E+12", `line 2: family: "1.00012E+12" lost digits in a spreadsheet: give the column the format Text before you enter or paste the ids`},
		{",genres", `,['RPG']`, `line 2: genres: "['RPG']" is not a JSON list of texts such as ["RPG","Action"]; entries may also be separated by |`},
		{",type", ",toy", `line 2: type: "toy" is not one of game, dlc, edition, bundle, season-pass, subscription, base`},
		{",family", "", `line 2: has 5 cells, the first row has 6: put a cell with a separator or a line end in quotes`},
		{",family", ",a,b", `line 2: has 7 cells, the first row has 6: put a cell with a separator or a line end in quotes`},
		{",family", `,a"b`, `line 2: has a quote that is not doubled, or text beside a quoted cell: put the whole cell in quotes and double those inside`},
		{",family", ",\xe4", `line 2: family: is not valid UTF-8: save the table as CSV in UTF-8`},
	} {
		table := tableOf(tt.names, tt.cells) + strings.Repeat(",", strings.Count(tt.names, ",")+4) + "\n" +
			`consolestore,TR,"P` + "\n" + `2",x,2026-11-20` + strings.Repeat(",", strings.Count(tt.names, ",")) + "\n" +
			`consolestore,TR,P3,x,2026-11-20` + strings.Repeat(",", strings.Count(tt.names, ",")) + "\n"
		all, refused := readAll(t, tableReader(t, strings.NewReader(table)))
		if len(refused) != 2 || refused[0] != tt.want || len(all) != 1 || all[0].Product != "P3" {
			t.Errorf("%s: refused %q, read %d", tt.cells, refused, len(all))
		}
		if len(refused) == 2 && !strings.HasPrefix(refused[1], "line 4: product:") {
			t.Errorf("the next row: %s", refused[1])
		}
	}
}

// TestTableUnknownColumns checks that unknown columns are counted like unknown fields.
func TestTableUnknownColumns(t *testing.T) {
	r := tableReader(t, strings.NewReader(tableOf(",vat,price.tax", ",20,")+"consolestore,TR,P2,b,2026-11-20,19,1\n"))
	readAll(t, r)
	if diff := cmp.Diff(map[string]int{"vat": 2, "price.tax": 1}, r.Unknown()); diff != "" {
		t.Error(diff)
	}
}

// FuzzTable checks that the reader of tables never panics, that a refusal has a reason,
// and that an accepted listing is the same after writing and reading.
func FuzzTable(f *testing.F) {
	f.Add([]byte(tableOf(",currency,base,current,genres", ",TRY,2000,1000,a|b")))
	f.Add([]byte("sep=;\n" + strings.ReplaceAll(tableOf(",demo,titles.ru", `,yes,"a""b`+"\n"+`"`), ",", ";")))
	f.Add([]byte("\ufeff" + strings.ReplaceAll(tableOf(",popularity,releaseDate,images.screenshots", ",1.5,2026-10-01,http://a/b"), ",", "\t")))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := feed.NewTableReader(strings.NewReader(string(data)), clock, feed.TableOptions{})
		if err != nil {
			return
		}
		var l catalog.Listing
		for last := 0; ; {
			line, err := r.Next(&l)
			refused, ok := err.(*feed.LineError)
			if err != nil && !ok {
				return
			}
			if line <= last {
				t.Errorf("line %d after line %d", line, last)
			}
			if last = line; ok {
				checkReason(t, refused)
				continue
			}
			checkAgain(t, l)
			if p := l.Price; p != nil && p.Current.Known() {
				if !strings.Contains(strings.ToLower(string(data)), "price") && !strings.Contains(string(data), fmt.Sprint(int64(p.Current))) {
					t.Errorf("the price %d is not in the table", p.Current)
				}
				if again, err := p.Currency.ReadAmount(fmt.Sprintf("%d.%02d", p.Current/100, p.Current%100), '.'); again != p.Current || err != nil {
					t.Errorf("the price %d as text is %d, %v", p.Current, again, err)
				}
			}
		}
	})
}

// TestTableNeedsColumns checks what is said of tables that cannot be read at all.
func TestTableNeedsColumns(t *testing.T) {
	for table, want := range map[string]string{
		"":                                        "the first row must name the columns; it is empty",
		"\n\n":                                    "the first row must name the columns; it is empty",
		"name|price\n":                            "the first row must name the columns; it lacks platform, region, title, observedAt: add them, or give --platform and --region and --columns HEADER=title and --columns HEADER=observedAt",
		"platform,region,product":                 "the first row must name the columns; it lacks title, observedAt",
		"title;Rating\nStar;19.99\n":              `column 2: "Rating" has several values: use the columns rating.age and rating.system; the first row must name the columns; it lacks platform, region, observedAt`,
		tableOf(",current,Price", ",,"):           `column 7: "Price" is the same field as "current": leave one of them out`,
		tableOf(",titles", ","):                   `column 6: "titles" has several values: use the columns titles.LOCALE, such as titles.ru`,
		tableOf(",base,price.base", ",,"):         `column 7: "price.base" is given twice`,
		`{"platform":"pcstore"}` + "\n":           "the first row must name the columns; it is JSON, which import reads without --csv",
		"p\x00l\x00":                              "is not UTF-8 text: save the table as CSV in UTF-8",
		"platform,region\rconsolestore,TR\r":      "its lines end with CR alone: save the table as CSV in UTF-8",
		"platform,\xe4":                           "the first row is not valid UTF-8: save the table as CSV in UTF-8",
		"platform," + strings.Repeat("x", 70<<10): "the first row, which must name the columns, is longer than 65536 bytes",
		`platform,"region`:                        "read the first row, which must name the columns: has a quote",
		gzipped(t, "platform;region;product;observedAt\n"): "the first row must name the columns; it lacks title",
	} {
		_, err := feed.NewTableReader(strings.NewReader(table), clock, feed.TableOptions{})
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.40q: %v, want %s", table, err, want)
		}
	}
}

// TestTableIsBounded checks that a quote that is never closed does not fill the memory.
func TestTableIsBounded(t *testing.T) {
	head := tableOf(",description", ",")
	endless := &endlessReader{}
	r := tableReader(t, io.MultiReader(strings.NewReader(head+`consolestore,TR,P2,b,2026-11-20,"`), endless))
	var l catalog.Listing
	if _, err := r.Next(&l); err != nil {
		t.Fatal(err)
	}
	_, err := r.Next(&l)
	if want := "read line 3: the row is longer than 1 MiB: is a quote not closed?"; err == nil || err.Error() != want {
		t.Errorf("an endless cell: %v, want %s", err, want)
	}
	if endless.n > 2<<20 {
		t.Errorf("%d bytes were read", endless.n)
	}
	r = tableReader(t, io.MultiReader(strings.NewReader(head+`consolestore,TR,P2,b,2026-11-20,"`+strings.Repeat("x\n", 9))))
	_, refused := readAll(t, r)
	if want := "line 3: a cell begins with a quote that ends wrongly or not at all up to line 11: double the quotes inside a cell"; len(refused) != 1 || refused[0] != want {
		t.Errorf("a quote that is not closed: %q", refused)
	}
}

type endlessReader struct{ n int }

func (e *endlessReader) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	e.n += len(p)
	return len(p), nil
}

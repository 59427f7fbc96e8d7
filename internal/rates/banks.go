package rates

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"gamedex/internal/money"
)

// The addresses at which the two banks publish their rates.
const (
	ECBURL = "https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml"
	NBUURL = "https://bank.gov.ua/NBUStatService/v1/statdirectory/exchange?json"
)

// Banks combines the European Central Bank and the National Bank of Ukraine: the
// hryvnia, and each currency that the first does not quote, comes from the second.
// Both publish once per working day, need no key, and require attribution. A table has
// the older of their two dates, at 00:00 UTC, and never a future one. If one bank
// fails, there is no table.
type Banks struct {
	Client   Getter
	ECB, NBU string // addresses; "": ECBURL, NBUURL
	Now      func() time.Time
}

// Name implements [Provider].
func (Banks) Name() string { return "ecb+nbu" }

// Fetch implements [Provider].
func (b Banks) Fetch(ctx context.Context) (money.Rates, error) {
	var ecb, nbu sheet
	body, err := getDocument(ctx, b.Client, cmp.Or(b.ECB, ECBURL), "application/xml", "text/xml")
	if err == nil {
		ecb, err = readECB(body, b.Now())
	}
	if err != nil {
		return money.Rates{}, fmt.Errorf("the European Central Bank: %w", err)
	}
	// The National Bank reports errors as XML.
	body, err = getDocument(ctx, b.Client, cmp.Or(b.NBU, NBUURL), "application/json", "text/json", "application/xml", "text/xml")
	if err == nil {
		nbu, err = readNBU(body, b.Now())
	}
	if err != nil {
		return money.Rates{}, fmt.Errorf("the National Bank of Ukraine: %w", err)
	}
	rates, err := nbu.perUSD()
	preferred, err2 := ecb.perUSD()
	if err := cmp.Or(err, err2); err != nil {
		return money.Rates{}, fmt.Errorf("%s: %w", b.Name(), err)
	}
	maps.Copy(rates, preferred)
	older := slices.MinFunc([]time.Time{ecb.at, nbu.at}, time.Time.Compare)
	together, err := table(rates, older, slices.Concat(ecb.skipped, nbu.skipped))
	if err != nil {
		return money.Rates{}, fmt.Errorf("%s: %w", b.Name(), err)
	}
	return together, nil
}

// How far ahead the banks date their sheets. The first uses the same day, which may
// already have begun there; the second uses the next working day, after any holidays.
const (
	ecbAhead = 24 * time.Hour
	nbuAhead = 15 * 24 * time.Hour
)

type ecbDay struct {
	Date  string `xml:"time,attr"`
	Rates []struct {
		Currency string `xml:"currency,attr"`
		Rate     string `xml:"rate,attr"`
	} `xml:"Cube"`
}

// readECB reads the units per euro of the newest day.
func readECB(body []byte, now time.Time) (sheet, error) {
	var doc struct {
		Days []ecbDay `xml:"Cube>Cube"`
	}
	if err := xml.Unmarshal(body, &doc); err != nil {
		return sheet{}, fmt.Errorf("not XML: %w", err)
	}
	if len(doc.Days) == 0 {
		return sheet{}, errors.New("the document has no rates")
	}
	newest := doc.Days[0]
	for _, d := range doc.Days {
		if d.Date > newest.Date {
			newest = d
		}
	}
	at, err := time.Parse(time.DateOnly, newest.Date)
	if err != nil {
		return sheet{}, fmt.Errorf("the date %.40q is not of the form %s", newest.Date, time.DateOnly)
	}
	if at, err = inForce(at, now, ecbAhead); err != nil {
		return sheet{}, err
	}
	s := newSheet("EUR", at)
	for _, r := range newest.Rates {
		if err := s.addQuote(r.Currency, r.Rate); err != nil {
			return sheet{}, err
		}
	}
	return s, nil
}

type nbuRow struct {
	Code    string      `json:"cc"`
	Date    string      `json:"exchangedate"`
	Rate    json.Number `json:"rate"`
	Units   json.Number `json:"units"` // missing in one of the two lists; then 1
	PerUnit json.Number `json:"rate_per_unit"`
}

// readNBU reads the hryvnias per currency of the newest day.
func readNBU(body []byte, now time.Time) (sheet, error) {
	var rows []nbuRow
	if err := json.Unmarshal(body, &rows); err != nil {
		return sheet{}, nbuComplaint(body, err)
	}
	if len(rows) == 0 {
		return sheet{}, errors.New("the list is empty")
	}
	var newest time.Time
	dates := make([]time.Time, len(rows))
	for i, row := range rows {
		at, err := time.Parse(nbuDate, row.Date)
		if err != nil {
			return sheet{}, fmt.Errorf("the date %.40q of %.10q is not of the form %s", row.Date, row.Code, nbuDate)
		}
		if dates[i] = at; at.After(newest) {
			newest = at
		}
	}
	at, err := inForce(newest, now, nbuAhead)
	if err != nil {
		return sheet{}, err
	}
	s := newSheet("UAH", at)
	for i, row := range rows {
		if !dates[i].Equal(newest) {
			continue
		}
		number, units := row.PerUnit, json.Number("")
		if number == "" {
			number, units = row.Rate, row.Units
		}
		if err := s.addInverse(row.Code, number.String(), units.String()); err != nil {
			return sheet{}, err
		}
	}
	return s, nil
}

const nbuDate = "02.01.2006"

func nbuComplaint(body []byte, err error) error {
	if !bytes.HasPrefix(bytes.TrimSpace(body), []byte("<")) {
		return fmt.Errorf("not the list of rates: %w", err)
	}
	var doc struct {
		Message string `xml:"error>message"`
	}
	if xml.Unmarshal(body, &doc) != nil || doc.Message == "" {
		return errors.New("not the list of rates but markup")
	}
	return fmt.Errorf("the bank answered %.100q", doc.Message)
}

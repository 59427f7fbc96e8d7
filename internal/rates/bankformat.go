package rates

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"time"
)

// How far ahead the banks date their sheets: the first the same day, which may
// have begun there already; the second the next working day, beyond holidays.
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

// readECB reads units per euro, of the newest day if there are several.
func readECB(body []byte, now time.Time) (sheet, error) {
	var doc struct {
		Days []ecbDay `xml:"Cube>Cube"`
	}
	if err := xml.Unmarshal(body, &doc); err != nil {
		return sheet{}, fmt.Errorf("not XML: %w", err)
	}
	if len(doc.Days) == 0 {
		return sheet{}, errors.New("the document holds no rates")
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
	Units   json.Number `json:"units"` // absent in one of the two lists: 1
	PerUnit json.Number `json:"rate_per_unit"`
}

// readNBU reads hryvnias per currency, of the newest day if there are several.
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
		if err := s.addRow(row); err != nil {
			return sheet{}, err
		}
	}
	return s, nil
}

const nbuDate = "02.01.2006"

func (s *sheet) addRow(row nbuRow) error {
	if row.PerUnit != "" {
		return s.addInverse(row.Code, row.PerUnit.String(), "")
	}
	return s.addInverse(row.Code, row.Rate.String(), row.Units.String())
}

// nbuComplaint is why body is no list: the bank complains in XML.
func nbuComplaint(body []byte, err error) error {
	if !bytes.HasPrefix(bytes.TrimSpace(body), []byte("<")) {
		return fmt.Errorf("not the list of rates: %w", err)
	}
	var doc struct {
		Message string `xml:"error>message"`
	}
	if xml.Unmarshal(body, &doc) != nil || doc.Message == "" {
		return errors.New("not the list of rates, but markup")
	}
	return fmt.Errorf("it answers %.100q", doc.Message)
}

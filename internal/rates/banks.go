package rates

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"gamedex/internal/money"
)

// The addresses at which the two banks publish their rates.
const (
	ECBURL = "https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml"
	NBUURL = "https://bank.gov.ua/NBUStatService/v1/statdirectory/exchange?json"
)

// Banks are the European Central Bank and the National Bank of Ukraine
// together: the hryvnia, and what the first does not quote, comes from the
// second. Both publish once a working day, need no key, and ask to be named.
// A table has the older of their two dates, at 00:00 UTC, never a future one;
// without either bank there is none.
type Banks struct {
	Client   Getter
	ECB, NBU string // addresses; "": ECBURL, NBUURL
	Now      func() time.Time
}

// Name implements [Provider].
func (Banks) Name() string { return "ecb+nbu" }

// Fetch implements [Provider].
func (b Banks) Fetch(ctx context.Context) (money.Rates, error) {
	ecb, err := b.fetchECB(ctx)
	if err != nil {
		return money.Rates{}, fmt.Errorf("the European Central Bank: %w", err)
	}
	nbu, err := b.fetchNBU(ctx)
	if err != nil {
		return money.Rates{}, fmt.Errorf("the National Bank of Ukraine: %w", err)
	}
	rates, err := together(ecb, nbu)
	if err != nil {
		return money.Rates{}, fmt.Errorf("%s: %w", b.Name(), err)
	}
	return rates, nil
}

func (b Banks) fetchECB(ctx context.Context) (sheet, error) {
	body, err := getDocument(ctx, b.Client, cmp.Or(b.ECB, ECBURL), "application/xml", "text/xml")
	if err != nil {
		return sheet{}, err
	}
	return readECB(body, b.Now())
}

// fetchNBU takes XML too, because that is how the bank says what is wrong.
func (b Banks) fetchNBU(ctx context.Context) (sheet, error) {
	body, err := getDocument(ctx, b.Client, cmp.Or(b.NBU, NBUURL), "application/json", "text/json", "application/xml", "text/xml")
	if err != nil {
		return sheet{}, err
	}
	return readNBU(body, b.Now())
}

// together adds to the first sheet what only the second has.
func together(first, second sheet) (money.Rates, error) {
	rates, err := second.perUSD()
	if err != nil {
		return money.Rates{}, err
	}
	preferred, err := first.perUSD()
	if err != nil {
		return money.Rates{}, err
	}
	for c, r := range preferred {
		rates[c] = r
	}
	at := first.at
	if second.at.Before(at) {
		at = second.at
	}
	return table(rates, at)
}

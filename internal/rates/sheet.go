package rates

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
	"time"

	"gamedex/internal/money"
)

// sheet is what one source quotes: for each currency how many units of it one
// unit of base is worth.
type sheet struct {
	base  money.Currency
	at    time.Time
	units rateOf
}

func newSheet(base money.Currency, at time.Time) sheet {
	return sheet{base: base, at: at, units: rateOf{base: big.NewRat(1, 1)}}
}

// addQuote takes a quote of units per base. What a source quotes that is no rate of
// a currency is left out.
func (s *sheet) addQuote(code, number string) error {
	c, r, err := quote(code, number)
	if err != nil || r == nil {
		return err
	}
	return s.setRate(c, r)
}

// addInverse takes a quote of base per so many units ("" is one).
func (s *sheet) addInverse(code, number, units string) error {
	c, r, err := quote(code, number)
	if err != nil || r == nil {
		return err
	}
	n := big.NewRat(1, 1)
	if units != "" {
		if n, err = parseRate(units); err != nil {
			return fmt.Errorf("the units of %s, %.60q, %w", c, units, err)
		}
	}
	return s.setRate(c, n.Quo(n, r))
}

// quote reads a currency and its number. The number is nil of what is no
// currency (metals, drawing rights, coins) and of what has none (a currency no
// longer quoted); anything else that cannot be a rate refuses the sheet.
func quote(code, number string) (money.Currency, *big.Rat, error) {
	c, err := money.ParseCurrency(code)
	if err != nil || strings.Trim(number, "0.") == "" || number == "null" {
		return c, nil, nil
	}
	r, err := parseRate(number)
	if err != nil {
		return c, nil, fmt.Errorf("the rate of %s, %.60q, %w", c, number, err)
	}
	return c, r, nil
}

func (s *sheet) setRate(c money.Currency, r *big.Rat) error {
	before, known := s.units[c]
	switch {
	case c == s.base && r.Cmp(before) != 0:
		return fmt.Errorf("the rate of %s against itself is %s, want 1", c, formatRate(r, shown))
	case c != s.base && known:
		return fmt.Errorf("the rate of %s is given twice", c)
	}
	s.units[c] = r
	return nil
}

// perUSD is the sheet with one dollar as its base.
func (s *sheet) perUSD() (rateOf, error) {
	usd, ok := s.units[money.USD]
	if !ok {
		return nil, errors.New("no rate of USD is among them")
	}
	out := make(rateOf, len(s.units))
	for c, r := range s.units {
		out[c] = new(big.Rat).Quo(r, usd)
	}
	return out, nil
}

// table writes rates per dollar down, each rounded once.
func table(perUSD rateOf, at time.Time) (money.Rates, error) {
	decimals := make(map[money.Currency]string, len(perUSD))
	for c, r := range perUSD {
		if !inBounds(r) {
			return money.Rates{}, fmt.Errorf("the rate of %s to one USD, %s, %w", c, formatRate(r, shown), errBounds)
		}
		decimals[c] = formatRate(r, kept)
	}
	return money.NewRates(money.USD, decimals, at.UnixMilli())
}

// inForce is the moment from which the sheet of a day counts. Sources date a
// sheet ahead, up to the next working day; such a one counts from today.
func inForce(at, now time.Time, ahead time.Duration) (time.Time, error) {
	if at.After(now.Add(ahead)) {
		return time.Time{}, fmt.Errorf("the date %s is in the future", at.Format(time.DateOnly))
	}
	if today := now.UTC().Truncate(24 * time.Hour); at.After(today) {
		return today, nil
	}
	return at, nil
}

const (
	minRate = 1e-9 // of any currency against any other
	maxRate = 1e9
	kept    = 12 // significant digits of a rate in a table
	shown   = 6  // in errors
)

var (
	errNotDecimal = errors.New("is not a decimal number")
	errBounds     = errors.New("is not between 1e-9 and 1e9")
)

func parseRate(s string) (*big.Rat, error) {
	r, err := money.ParseDecimal(s)
	switch {
	case errors.Is(err, money.ErrNotNumber):
		return nil, errNotDecimal
	case err != nil || !inBounds(r):
		return nil, errBounds
	}
	return r, nil
}

func inBounds(r *big.Rat) bool {
	f, _ := r.Float64()
	return f >= minRate && f <= maxRate
}

// formatRate writes r rounded to so many significant digits, half up, without
// an exponent and without zeros at the end.
func formatRate(r *big.Rat, significant int) string {
	decimals := significant
	if whole := new(big.Int).Quo(r.Num(), r.Denom()); whole.Sign() > 0 {
		decimals -= len(whole.String())
	} else {
		// Add the zeros between the point and the first other digit.
		decimals--
		scaled := new(big.Int).Set(r.Num())
		for range 2*kept + 1 {
			if scaled.Cmp(r.Denom()) >= 0 {
				break
			}
			scaled.Mul(scaled, big.NewInt(10))
			decimals++
		}
	}
	text := r.FloatString(max(decimals, 0))
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

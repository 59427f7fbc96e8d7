package rates

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
	"time"

	"gamedex/internal/money"
)

// sheet holds the quotes of one source: for each currency, its units per unit of the
// base.
type sheet struct {
	base  money.Currency
	at    time.Time
	units rateOf
}

func newSheet(base money.Currency, at time.Time) sheet {
	return sheet{base: base, at: at, units: rateOf{base: big.NewRat(1, 1)}}
}

// addQuote adds a quote in units per base. It omits quotes that are not the rate of a
// currency.
func (s *sheet) addQuote(code, number string) error {
	c, r, err := quote(code, number)
	if err != nil || r == nil {
		return err
	}
	return s.setRate(c, r)
}

// addInverse adds a quote in base per the given number of units; "" is one.
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

// quote parses a currency and its number. The number is nil if code is not a currency
// (metals, drawing rights, coins), or if there is no number (a currency that is no
// longer quoted). Any other invalid number is an error, which refuses the sheet.
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

// perUSD returns the quotes per dollar.
func (s *sheet) perUSD() (rateOf, error) {
	usd, ok := s.units[money.USD]
	if !ok {
		return nil, errors.New("there is no rate of USD")
	}
	out := make(rateOf, len(s.units))
	for c, r := range s.units {
		out[c] = new(big.Rat).Quo(r, usd)
	}
	return out, nil
}

// table returns a table of rates per dollar, each rounded once.
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

// inForce returns the time from which the sheet of a day is valid. Sources may date a
// sheet ahead, up to the next working day; such a sheet is valid from today.
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

// formatRate formats r, rounded half up to the given number of significant digits,
// without an exponent and without trailing zeros.
func formatRate(r *big.Rat, significant int) string {
	decimals := significant
	if whole := new(big.Int).Quo(r.Num(), r.Denom()); whole.Sign() > 0 {
		decimals -= len(whole.String())
	} else {
		// Add the zeros between the point and the first non-zero digit.
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

package rates

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"time"

	"gamedex/internal/money"
)

// sheet holds the quotes of one source: for each currency, its units per unit of the
// base.
type sheet struct {
	base    money.Currency
	at      time.Time
	units   rateOf
	skipped []string // quotes with an invalid number; not the number, which could be a key
}

func newSheet(base money.Currency, at time.Time) sheet {
	return sheet{base: base, at: at, units: rateOf{base: big.NewRat(1, 1)}}
}

// addQuote adds a quote in units per base. It omits quotes that are not the rate of a
// currency.
func (s *sheet) addQuote(code, number string) error {
	c, r := s.quote(code, number)
	if r == nil {
		return nil
	}
	return s.setRate(c, r)
}

// addInverse adds a quote in base per the given number of units; "" is one.
func (s *sheet) addInverse(code, number, units string) error {
	c, r := s.quote(code, number)
	if r == nil {
		return nil
	}
	n, err := parseRate(cmp.Or(units, "1"))
	if err != nil {
		s.skipped = append(s.skipped, fmt.Sprintf("%s (its units: %v)", c, err))
		return nil
	}
	return s.setRate(c, n.Quo(n, r))
}

// quote parses a currency and its number. The number is nil if code is not a currency
// (metals, drawing rights, coins), if there is no number (a currency that is no longer
// quoted), and if the number is invalid, which is noted.
func (s *sheet) quote(code, number string) (money.Currency, *big.Rat) {
	c, err := money.ParseCurrencyAt(code, s.at.UnixMilli())
	if err != nil || strings.Trim(number, "0.") == "" || number == "null" {
		return c, nil
	}
	r, err := parseRate(number)
	if err != nil {
		s.skipped = append(s.skipped, fmt.Sprintf("%s (its rate %v)", c, err))
	}
	return c, r
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
	if !ok && len(s.skipped) > 0 {
		return nil, fmt.Errorf("there is no rate of USD; skipped entries: %s", strings.Join(s.skipped, ", "))
	} else if !ok {
		return nil, errors.New("there is no rate of USD")
	}
	out := make(rateOf, len(s.units))
	for c, r := range s.units {
		out[c] = new(big.Rat).Quo(r, usd)
	}
	return out, nil
}

// table returns a table of rates per dollar, each rounded once. It skips those out of
// bounds; skipped are entries that were skipped before.
func table(perUSD rateOf, at time.Time, skipped []string) (money.Rates, error) {
	decimals := make(map[money.Currency]string, len(perUSD))
	for _, c := range slices.Sorted(maps.Keys(perUSD)) {
		if r := perUSD[c]; inBounds(r) {
			decimals[c] = formatRate(r, kept)
		} else {
			skipped = append(skipped, fmt.Sprintf("%s (its rate to one USD, %s, %v)", c, formatRate(r, shown), errBounds))
		}
	}
	rates, err := money.NewRates(money.USD, decimals, at.UnixMilli())
	return rates.Skipping(skipped...), err
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

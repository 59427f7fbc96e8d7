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
	units map[money.Currency]*big.Rat
}

func newSheet(base money.Currency) sheet {
	return sheet{base: base, units: map[money.Currency]*big.Rat{base: big.NewRat(1, 1)}}
}

// add takes a quote of units per base. What is no currency (metals, drawing
// rights, coins) and what has no number (a currency no longer quoted) is left
// out; anything else that cannot be a rate refuses the sheet.
func (s *sheet) add(code, number string) error {
	c, err := money.ParseCurrency(code)
	if err != nil || unquoted(number) {
		return nil
	}
	r, err := parseRate(number)
	if err != nil {
		return fmt.Errorf("the rate of %s, %.60q, %w", c, number, err)
	}
	return s.set(c, r)
}

// addInverse takes a quote of base per so many units ("" is one).
func (s *sheet) addInverse(code, number, units string) error {
	c, err := money.ParseCurrency(code)
	if err != nil || unquoted(number) {
		return nil
	}
	r, err := parseRate(number)
	if err != nil {
		return fmt.Errorf("the rate of %s, %.60q, %w", c, number, err)
	}
	n := big.NewRat(1, 1)
	if units != "" {
		if n, err = parseRate(units); err != nil {
			return fmt.Errorf("the units of %s, %.60q, %w", c, units, err)
		}
	}
	return s.set(c, n.Quo(n, r))
}

func (s *sheet) set(c money.Currency, r *big.Rat) error {
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

// unquoted says that a source has no rate: it writes nothing, null or zero.
func unquoted(number string) bool {
	return strings.Trim(number, "0.") == "" || number == "null"
}

// perUSD is the sheet with one dollar as its base.
func (s *sheet) perUSD() (map[money.Currency]*big.Rat, error) {
	usd, ok := s.units[money.USD]
	if !ok {
		return nil, errors.New("no rate of USD is among them")
	}
	out := make(map[money.Currency]*big.Rat, len(s.units))
	for c, r := range s.units {
		out[c] = new(big.Rat).Quo(r, usd)
	}
	return out, nil
}

// table writes rates per dollar down, each rounded once.
func table(perUSD map[money.Currency]*big.Rat, at time.Time) (money.Rates, error) {
	decimals := make(map[money.Currency]string, len(perUSD))
	for c, r := range perUSD {
		if !inBounds(r) {
			return money.Rates{}, fmt.Errorf("the rate of %s to one USD, %s, %w", c, formatRate(r, shown), errBounds)
		}
		decimals[c] = formatRate(r, kept)
	}
	return money.NewRates(money.USD, decimals, at.UnixMilli())
}

// day reads a date as the moment it begins in UTC. Sources date a sheet ahead,
// up to the next working day; such a one counts from today.
func day(layout, text string, now time.Time, ahead time.Duration) (time.Time, error) {
	at, err := time.Parse(layout, text)
	if err != nil {
		return time.Time{}, fmt.Errorf("the date %.40q is not of the form %s", text, layout)
	}
	if at.After(now.Add(ahead)) {
		return time.Time{}, fmt.Errorf("the date %s is in the future", at.Format(time.DateOnly))
	}
	if today := now.UTC().Truncate(24 * time.Hour); at.After(today) {
		return today, nil
	}
	return at, nil
}

package money

import (
	"slices"
	"strings"
	"sync"
	"unicode"
)

// signs has the signs and words of currencies in price texts, each with the currencies that
// it may mean, the likeliest first.
var signs = sync.OnceValue(func() map[string][]Currency {
	const list = `
$ USD ARS AUD BBD BMD BND BRL BSD BZD CAD CLP COP CUP CVE DOP FJD GYD HKD JMD KYD LRD MOP MXN NAD NIO NZD SBD SGD SRD SSP TOP TTD TWD UYU WST XCD ZWL
US$ USD | U$S USD | USD$ USD | AU$ AUD | A$ AUD | CA$ CAD | C$ CAD NIO | NZ$ NZD | HK$ HKD | NT$ TWD | S$ SGD | SG$ SGD
R$ BRL | MX$ MXN | Mex$ MXN | AR$ ARS | CLP$ CLP | COL$ COP | COP$ COP | $U UYU | TT$ TTD | MOP$ MOP | EC$ XCD
€ EUR | Euro EUR | euro EUR | £ GBP GIP FKP SHP EGP LBP SYP SSP SDG | ¥ JPY CNY | ￥ JPY CNY | CN¥ CNY | JP¥ JPY | 円 JPY | 元 CNY TWD HKD | ₩ KRW KPW | 원 KRW
₺ TRY | TL TRY | ₴ UAH | грн UAH | ₹ INR | ₽ RUB | руб RUB BYN | р RUB BYN | ₸ KZT | тг KZT | ₪ ILS | ₫ VND | đ VND | ₱ PHP CUP | ฿ THB | ₦ NGN
₲ PYG | ₡ CRC | ₵ GHS | GH₵ GHS | ₭ LAK | ₮ MNT | ₼ AZN | ₾ GEL | ֏ AMD | ৳ BDT | zł PLN | Kč CZK | Ft HUF | lei RON MDL | лв BGN | kn HRK
kr SEK NOK DKK ISK | Rp IDR | RM MYR | Rs INR PKR LKR NPR MUR SCR | ₨ INR PKR LKR NPR MUR SCR | Fr CHF`
	of := make(map[string][]Currency)
	for entry := range strings.FieldsFuncSeq(list, func(r rune) bool { return r == '|' || r == '\n' }) {
		words := strings.Fields(entry)
		for _, code := range words[1:] {
			of[words[0]] = append(of[words[0]], Currency(code))
		}
	}
	return of
})

// CurrencyOf returns the currency that a price text names by its sign or code. It is own
// if the text may mean that, or if it has no number or no known sign.
func CurrencyOf(text string, own Currency) Currency {
	if !strings.ContainsFunc(text, unicode.IsDigit) {
		return own
	}
	named := own
	for sign := range signsOf(text) {
		meant := signs()[sign]
		if len(meant) == 0 && len(sign) == 3 {
			if code, err := ParseCurrency(sign); err == nil && string(code) == sign {
				meant = []Currency{code}
			}
		}
		switch {
		case slices.Contains(meant, own):
			return own
		case len(meant) > 0 && named == own:
			named = meant[0]
		}
	}
	return named
}

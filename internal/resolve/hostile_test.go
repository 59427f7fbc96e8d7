package resolve_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"gamedex/internal/resolve"
)

// hostileTitles make titles of at most 200 code points, as long as a request may have, which mean no game and are
// hard to fold, to split or to search. The number makes them differ.
var hostileTitles = map[string]func(n int) string{
	"nothing":              func(n int) string { return strings.Repeat(" \u200b", n%100) + "!" },
	"marks":                func(n int) string { return "x" + strings.Repeat("\u0301", 190) + fmt.Sprint(n) },
	"marks on each letter": func(n int) string { return strings.Repeat("z\u0310\u0327\u0489\u035c", 39) + fmt.Sprint(n) },
	"marks of many kinds": func(n int) string {
		return fmt.Sprint("q", n) + repeated(func(i int) string { return string(rune(0x300 + i%0x70)) }, 190)
	},
	"overrides":                       func(n int) string { return strings.Repeat("\u202eq\u202d", 64) + fmt.Sprint(n) },
	"no letters but marks":            func(n int) string { return strings.Repeat("\u0489", 100+n%100) },
	"a sign of four words":            func(n int) string { return strings.Repeat("\ufdfa", 150+n%50) },
	"a sign of four words, of a shop": func(n int) string { return strings.Repeat("\ufdfa", 125+n%9) + ofShop },
	"Hangul of a shop": func(n int) string {
		return repeated(func(i int) string { return string(rune(0xac00 + (i*131+n*17)%11172)) }, 130) + ofShop
	},
	"signs of several letters, a shop": func(n int) string {
		return repeated(func(i int) string { return string(rune(0x3300 + (i*7+n)%88)) }, 130) + ofShop
	},
	"a sign of two words":   func(n int) string { return strings.Repeat("\ufdfb ", 80+n%20) },
	"signs of five letters": func(n int) string { return strings.Repeat("\u3315", 53) + fmt.Sprint(n) },
	"a long word":           func(n int) string { return strings.Repeat("qxz", 65) + fmt.Sprint(n) },
	"a long Cyrillic word":  func(n int) string { return strings.Repeat("щъ", 75+n%5) },
	"a frequent word":       func(n int) string { return strings.TrimSpace(strings.Repeat("the ", 2+n%48)) },
	"two frequent words":    func(n int) string { return strings.Repeat("the of ", 1+n%27) + "the the" },
	"letters": func(n int) string {
		return repeated(func(i int) string { return string(rune('a'+(i*7+n)%26)) + " " }, 99)
	},
	"numbers": func(n int) string { return repeated(func(i int) string { return fmt.Sprint((i+n)%10) + " " }, 99) },
	"numerals": func(n int) string {
		return repeated(func(i int) string { return []string{"x ", "v ", "i ", "ii "}[(i*n+i)%4] }, 66)
	},
	"years":      func(n int) string { return strings.Repeat("(2020)", 30) + fmt.Sprint(n) },
	"brackets":   func(n int) string { return strings.Repeat("(", 90) + fmt.Sprint(n) + strings.Repeat(")", 90) },
	"shop words": func(n int) string { return fmt.Sprint("zq", n) + strings.Repeat(" ps5 and pc", 16) },
	"editions":   func(n int) string { return fmt.Sprint("zq", n) + strings.Repeat(" gold edition", 14) },
	"remakes":    func(n int) string { return fmt.Sprint("zq", n) + strings.Repeat(" hd", 60) },
	"wildcards": func(n int) string {
		return strings.Repeat([]string{"%", "*", "_", "?*", ".*", "[a-z]+", "\\", "(?:a|a)*", "x:*&!"}[n%9], 20) + "q" + fmt.Sprint(n)
	},
	"commands":           func(n int) string { return fmt.Sprintf("' OR %d=%d; DROP TABLE listings; --${7*7}{{7*7}}", n, n) },
	"control characters": func(n int) string { return strings.Repeat("q\x00\x1b[2J\r\n\u2028", 20) + fmt.Sprint(n) },
	"joined emoji":       func(n int) string { return strings.Repeat("👩\u200d🚀", 60) + fmt.Sprint(n) },
	"Han": func(n int) string {
		return repeated(func(i int) string { return string(rune(0x4e00 + (i*131+n*17)%20000)) }, 200)
	},
	"Hangul letters": func(n int) string { return strings.Repeat("\u1100\u1161\u11a8", 65) + fmt.Sprint(n) },
}

// ofShop has words of all kinds that are dropped one after the other.
const ofShop = " hd remastered goty edition (2020) dlc for ps5 and pc global key"

func repeated(part func(i int) string, times int) string {
	var b strings.Builder
	for i := range times {
		b.WriteString(part(i))
	}
	return b.String()
}

// mostHostile is how many pieces of memory a hostile title may take at most. An ordinary title of a shop takes about
// 50: the rest is for titles of a hundred words and more.
const mostHostile = 2000

// mostBytes is how many bytes it may take: the work of folding shows there.
const mostBytes = 300 << 10

// TestHostileTitles resolves hostile titles of each kind: none is a game, and each takes bounded memory, whatever came
// before it. What is allocated stands for the work: it does not depend on the machine.
func TestHostileTitles(t *testing.T) {
	v := world()
	for kind, title := range hostileTitles {
		r, matches := &resolve.Resolver{View: v}, make([]resolve.Match, 0, 2)
		r.Resolve(resolve.Item{Text: title(0)}, matches) // grows what is kept
		var before, after runtime.MemStats
		bytes := uint64(0)
		for n := 1; n < 50; n++ {
			text := title(n)
			if length := len([]rune(text)); length > 200 {
				t.Fatalf("%s %d has %d characters", kind, n, length)
			}
			runtime.ReadMemStats(&before)
			found := r.Resolve(resolve.Item{Text: text}, matches)
			runtime.ReadMemStats(&after)
			if used := after.Mallocs - before.Mallocs; used > mostHostile {
				t.Errorf("%s: %.80q takes %d pieces of memory", kind, text, used)
			}
			bytes = max(bytes, after.TotalAlloc-before.TotalAlloc)
			for _, m := range found {
				if m.Status == resolve.Resolved {
					t.Errorf("%s: %.80q is %s in %s", kind, text, m.Card.Title(), m.Platform)
				}
			}
		}
		if bytes > mostBytes {
			t.Errorf("%s: a title takes %d bytes of memory", kind, bytes)
		}
	}
}

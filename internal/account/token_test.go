package account_test

import (
	"bytes"
	"crypto/rand"
	"hash/crc32"
	"io"
	"math/big"
	mathrand "math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"gamedex/internal/account"
)

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// tokenOf builds a token from its 30 characters in another way than the code
// under test: with big numbers.
func tokenOf(secret string) string {
	n := new(big.Int).SetUint64(uint64(crc32.ChecksumIEEE([]byte(secret))))
	var sum string
	for range 6 {
		digit := new(big.Int)
		n.DivMod(n, big.NewInt(62), digit)
		sum = string(base62[digit.Int64()]) + sum
	}
	return "gdx_" + secret + sum
}

func TestNewToken(t *testing.T) {
	form := regexp.MustCompile(`^gdx_[0-9A-Za-z]{36}$`)
	for range 1000 {
		token, err := account.NewToken(rand.Reader)
		must(t, err)
		if !form.MatchString(token) || token != tokenOf(token[4:34]) || !account.CheckToken(token) {
			t.Fatalf("bad token %q", token)
		}
	}
}

// TestNewTokenIsUnbiased counts characters. 256 is not a multiple of 62: if
// every byte were used, the first 8 characters would come 5 times where the
// others come 4 times.
func TestNewTokenIsUnbiased(t *testing.T) {
	source := mathrand.NewChaCha8([32]byte{1})
	count := make(map[byte]int)
	for range 2000 {
		token, err := account.NewToken(source)
		must(t, err)
		for i := 4; i < 34; i++ {
			count[token[i]]++
		}
	}
	first, rest := 0.0, 0.0
	for i := range 62 {
		if i < 8 {
			first += float64(count[base62[i]]) / 8
		} else {
			rest += float64(count[base62[i]]) / 54
		}
	}
	if ratio := first / rest; len(count) != 62 || ratio < 0.95 || ratio > 1.05 {
		t.Errorf("%d characters, the first 8 come %.2f times as often as the others", len(count), ratio)
	}
}

func TestRandomSourceFails(t *testing.T) {
	broken := iotest.ErrReader(io.ErrClosedPipe)
	wantIs(t, "NewToken", one(account.NewToken(broken)), io.ErrClosedPipe)
	wantIs(t, "NewKeyID", one(account.NewKeyID(0, broken)), io.ErrClosedPipe)
	wantIs(t, "Issue", two((account.Draft{Name: "x"}).Issue(0, broken)), io.ErrClosedPipe)
}

func genToken() *rapid.Generator[string] {
	secret := rapid.StringOfN(rapid.RuneFrom([]rune(base62)), 30, 30, 30)
	return rapid.Map(secret, tokenOf)
}

func TestEverySingleTypoIsRefused(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		token := genToken().Draw(t, "token")
		if !account.CheckToken(token) {
			t.Fatalf("good token refused: %q", token)
		}
		for i := range token {
			wrong := []byte(token)
			wrong[i] = base62[rapid.IntRange(0, 61).Draw(t, "character")]
			if string(wrong) != token && account.CheckToken(string(wrong)) {
				t.Fatalf("typo at %d accepted: %q for %q", i, wrong, token)
			}
			if i > 0 {
				wrong = []byte(token)
				wrong[i-1], wrong[i] = wrong[i], wrong[i-1]
				if string(wrong) != token && account.CheckToken(string(wrong)) {
					t.Fatalf("swap at %d accepted: %q for %q", i, wrong, token)
				}
			}
		}
	})
}

// FuzzCheckToken compares CheckToken with the rule.
func FuzzCheckToken(f *testing.F) {
	good := tokenOf("0123456789ABCDEFGHIJKLMNOPQRST")
	for _, seed := range []string{"", "gdx_", good, good[:39], good + "0", good + "\x00", strings.ToLower(good), "gdy_" + good[4:], "GDX_" + good[4:],
		" " + good, " " + good[:39], good[:34] + "000000", "gdx_" + strings.Repeat("é", 18),
		tokenOf("0123456789-BCDEFGHIJKLMNOPQRST"), tokenOf("é23456789ABCDEFGHIJKLMNOPQRSTU"[:30])} { // the last two with a fitting checksum
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		want := len(s) == 40 && s[:4] == "gdx_" && strings.Trim(s[4:], base62) == "" && s == tokenOf(s[4:34])
		if got := account.CheckToken(s); got != want {
			t.Errorf("CheckToken(%q) = %v, want %v", s, got, want)
		}
	})
}

func TestNewKeyID(t *testing.T) {
	zero, ones := bytes.NewReader(make([]byte, 100)), bytes.NewReader(bytes.Repeat([]byte{255}, 100))
	tests := []struct {
		name string
		now  int64
		rand io.Reader
		want string
	}{
		{"all zero", 0, zero, "key_00000000000000000000000000"},
		{"a time", 1_469_918_176_385, zero, "key_01ARYZ6S410000000000000000"},
		{"highest", 1<<48 - 1, ones, "key_7ZZZZZZZZZZZZZZZZZZZZZZZZZ"},
		{"before 1970", -5, zero, "key_00000000000000000000000000"},
	}
	for _, tt := range tests {
		if got, err := account.NewKeyID(tt.now, tt.rand); err != nil || got != tt.want {
			t.Errorf("%s: got %s, %v, want %s", tt.name, got, err, tt.want)
		}
	}
}

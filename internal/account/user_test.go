package account_test

import (
	"bytes"
	"errors"
	"io"
	mathrand "math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"pgregory.net/rapid"

	"gamedex/internal/account"
)

func TestNewUserID(t *testing.T) {
	const created = 1_469_918_176_385
	user, err := account.NewUserID(created, bytes.NewReader(make([]byte, 10)))
	if err != nil || user != "usr_01ARYZ6S410000000000000000" {
		t.Errorf("got %s, %v", user, err)
	}
	wantIs(t, "randomness that fails", one(account.NewUserID(0, iotest.ErrReader(io.ErrClosedPipe))), io.ErrClosedPipe)
}

func TestParseEmail(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain", "ann@example.com", "ann@example.com"},
		{"capitals and space around", "\t Ann.Lee@Example.COM\n", "ann.lee@example.com"},
		{"host without dots", "ann@localhost", "ann@localhost"},
		{"tag and apostrophe", "ann.o'hara+games@sub.example-1.org", "ann.o'hara+games@sub.example-1.org"},
		{"address of a domain in another script", "ann@xn--80a1acny.xn--p1ai", "ann@xn--80a1acny.xn--p1ai"},
		{"as long as can be", strings.Repeat("a", 242) + "@example.com", strings.Repeat("a", 242) + "@example.com"},
		{"too long", strings.Repeat("a", 243) + "@example.com", ""},
		{"empty", "", ""},
		{"space alone", "  ", ""},
		{"no at", "ann.example.com", ""},
		{"two ats", "ann@home@example.com", ""},
		{"no local part", "@example.com", ""},
		{"no domain", "ann@", ""},
		{"name before it", "Ann <ann@example.com>", ""},
		{"in brackets", "<ann@example.com>", ""},
		{"quoted", `"ann"@example.com`, ""},
		{"quoted at", `"a@b"@example.com`, ""},
		{"comment", "ann@example.com (Ann)", ""},
		{"comment before it", "(Ann)ann@example.com", ""},
		{"group", "friends:ann@example.com;", ""},
		{"two addresses", "ann@example.com, bob@example.com", ""},
		{"space inside", "ann lee@example.com", ""},
		{"line break inside", "ann@example.com\r\nbcc: bob@example.com", ""},
		{"NUL", "ann\x00@example.com", ""},
		{"domain of numbers", "ann@[127.0.0.1]", ""},
		{"dots in a row", "ann..lee@example.com", ""},
		{"dot at the end", "ann@example.com.", ""},
		{"markup", "<script>@example.com", ""},
		{"markup in the domain", "ann@ex&ample.com", ""},
		{"letter of another script", "аnn@example.com", ""},
		{"letter whose small form is ASCII", "mar\u212A@example.com", ""},
		{"the same in the domain", "ann@\u212Aelvin.com", ""},
		{"no UTF-8", "ann\xff@example.com", ""},
	}
	for _, tt := range tests {
		got, err := account.ParseEmail(tt.in)
		var field *account.FieldError
		refused := errors.As(err, &field) && field.Field == "email" && field.Constraint != ""
		if got != tt.want || refused != (tt.want == "") || (err == nil) != (tt.want != "") {
			t.Errorf("%s: ParseEmail(%q) = %q, %v, want %q", tt.name, tt.in, got, err, tt.want)
		}
	}
}

func TestParseEmailIsIdempotent(t *testing.T) {
	letters := rapid.StringOf(rapid.OneOf(
		rapid.RuneFrom([]rune("abzABZ019.-+_@'\"<>()[],;:\\ \t\nİıſ\u212Aéй")), rapid.Rune()))
	rapid.Check(t, func(t *rapid.T) {
		in := letters.Draw(t, "local") + "@" + letters.Draw(t, "domain")
		email, err := account.ParseEmail(in)
		if err != nil {
			return
		}
		again, err := account.ParseEmail(strings.ToUpper(" " + email))
		if err != nil || again != email || strings.Count(email, "@") != 1 || strings.Trim(email, lowerASCII) != "" {
			t.Fatalf("%q became %q, then %q, %v", in, email, again, err)
		}
	})
}

// lowerASCII is printable ASCII without capitals, space, quotes and brackets.
const lowerASCII = "!#$%&'*+-./0123456789=?@^_`abcdefghijklmnopqrstuvwxyz{|}~"

func TestCheckPassword(t *testing.T) {
	const email = "ann.example@games.org"
	tests := []struct{ name, password, constraint string }{
		{"words", "correct horse", ""},
		{"ten characters", "kq8vm2xw5t", ""},
		{"nine characters", "kq8vm2xw5", "10 to 200"},
		{"empty", "", "10 to 200"},
		{"ten letters of two bytes", "жёлтыйдом7", ""},
		{"nine letters of two bytes", "жёлтыйдом", "10 to 200"},
		{"nine letters and ten code points", "жёлтыи\u0306дом", "10 to 200"},
		{"200 characters of four bytes", strings.Repeat("🎲🎮", 100), ""},
		{"201 characters", strings.Repeat("ab", 100) + "c", "10 to 200"},
		{"a megabyte", strings.Repeat("ab", 1<<19), "10 to 200"},
		{"no UTF-8", "kq8vm2xw5t\xff", "UTF-8"},
		{"NUL", "kq8vm2\x00xw5t", "control"},
		{"line break", "kq8vm2xw5t\n", "control"},
		{"the address", email, "email"},
		{"the address in capitals", strings.ToUpper(email), "email"},
		{"its first part", "Ann.Example", "email"},
		{"more than the address", email + "!", ""},
		{"one character", "aaaaaaaaaaaa", "guess"},
		{"one character of two bytes", strings.Repeat("й", 12), "guess"},
		{"spaces", strings.Repeat(" ", 12), "guess"},
		{"two characters", "abababababab", ""},
		{"well known", "1234567890", "guess"},
		{"well known in capitals", "PassWord123", "guess"},
		{"well known in Russian", "йцукенгшщз", "guess"},
		{"the same with й in two parts", "и\u0306цукенгшщз", "guess"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := account.CheckPassword(tt.password, email)
			if tt.constraint == "" {
				must(t, err)
				return
			}
			var field *account.FieldError
			if !errors.As(err, &field) || field.Field != "password" || field.Value != "(not shown)" ||
				!strings.Contains(field.Constraint, tt.constraint) {
				t.Errorf("got %v, want %q in the constraint", err, tt.constraint)
			}
		})
	}
	must(t, account.CheckPassword("correct horse", "")) // without an email address
}

func TestErrorsHideThePassword(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		password := rapid.OneOf(rapid.StringN(3, 250, -1), rapid.Just("qwertyuiop"), rapid.Just("ann@example.com")).Draw(t, "password")
		err := account.CheckPassword(password, "ann@example.com")
		// Some code points become three in the standard's composed form.
		if n := utf8.RuneCountInString(password); (n < 4 || n > 200) && err == nil {
			t.Fatalf("%d code points accepted", n)
		}
		if err == nil {
			return
		}
		// Short ones occur in the words of the error by chance.
		if strings.Contains(err.Error(), password) && len(password) > 5 {
			t.Fatalf("%q is in %q", password, err)
		}
	})
}

func TestNewPassword(t *testing.T) {
	form := regexp.MustCompile(`^([2-9a-hjkmnp-z]{5}-){3}[2-9a-hjkmnp-z]{5}$`)
	source := mathrand.NewChaCha8([32]byte{7})
	seen := make(map[rune]bool)
	for range 2000 {
		password, err := account.NewPassword(source)
		if err != nil || !form.MatchString(password) {
			t.Fatalf("got %q, %v", password, err)
		}
		must(t, account.CheckPassword(password, ""))
		for _, c := range strings.ReplaceAll(password, "-", "") {
			seen[c] = true
		}
	}
	if len(seen) != 31 {
		t.Errorf("%d different characters", len(seen))
	}
	wantIs(t, "randomness that fails", one(account.NewPassword(iotest.ErrReader(io.ErrClosedPipe))), io.ErrClosedPipe)
}

func FuzzParseEmail(f *testing.F) {
	for _, seed := range []string{"ann@example.com", " A@B ", "a@b@c", `"a"@b`, "a@[::1]", "a@b (c)", "\xff@\xff", "=?utf-8?q?a?=@b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		email, err := account.ParseEmail(s)
		if (err == nil) != (email != "") {
			t.Fatalf("ParseEmail(%q) = %q, %v", s, email, err)
		}
		if err == nil && email != strings.ToLower(strings.TrimSpace(s)) {
			t.Errorf("ParseEmail(%q) = %q", s, email)
		}
	})
}

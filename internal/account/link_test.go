package account_test

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/account"
)

func TestNewLink(t *testing.T) {
	by := account.By{At: 1_000_000, Actor: "usr_1", From: "192.0.2.1", Detail: "d"}
	tests := []struct {
		purpose account.Purpose
		hours   int64
	}{
		{account.LinkSetup, 24}, {account.LinkInvite, 168}, {account.LinkReset, 24},
	}
	for _, tt := range tests {
		t.Run(string(tt.purpose), func(t *testing.T) {
			link, token, err := account.NewLink(tt.purpose, by, rand.Reader)
			if err != nil {
				t.Fatal(err)
			}
			want := account.Link{
				Hash: sha256.Sum256([]byte(token)), Purpose: tt.purpose,
				CreatedBy: "usr_1", CreatedAt: 1_000_000, ExpiresAt: 1_000_000 + tt.hours*3_600_000,
			}
			if diff := cmp.Diff(want, link); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if !account.CheckLinkToken(token) {
				t.Errorf("bad token %q", token)
			}
		})
	}
}

func TestNewLinkRefuses(t *testing.T) {
	var field *account.FieldError
	_, _, err := account.NewLink("gift", account.By{}, rand.Reader)
	if !errors.As(err, &field) || field.Field != "purpose" || account.Purpose("gift").Lifetime() != 0 {
		t.Errorf("unknown purpose: %v", err)
	}
	_, _, err = account.NewLink(account.LinkReset, account.By{}, iotest.ErrReader(io.ErrClosedPipe))
	if !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("randomness that fails: %v", err)
	}
}

func TestNewLinkToken(t *testing.T) {
	form := regexp.MustCompile(`^[0-9A-Za-z_-]{43}$`)
	seen := make(map[string]bool)
	for range 1000 {
		token, err := account.NewLinkToken(rand.Reader)
		if err != nil || !form.MatchString(token) || !account.CheckLinkToken(token) {
			t.Fatalf("got %q, %v", token, err)
		}
		seen[token] = true
	}
	if len(seen) != 1000 {
		t.Errorf("%d different tokens of 1000", len(seen))
	}
	raw := bytes.Repeat([]byte{0xfb, 0xff}, 16)
	if token, err := account.NewLinkToken(bytes.NewReader(raw)); err != nil || token != base64.RawURLEncoding.EncodeToString(raw) {
		t.Errorf("got %q, %v", token, err)
	}
}

func TestCheckLinkToken(t *testing.T) {
	good := strings.Repeat("aZ0-_9", 7) + "A" // the last character has four bits
	tests := []struct {
		name, token string
		want        bool
	}{
		{"good", good, true},
		{"empty", "", false},
		{"one short", good[1:], false},
		{"one long", good + "A", false},
		{"padded", good + "=", false},
		{"other alphabet", "+" + good[1:], false},
		{"bits that mean nothing", good[:42] + "B", false},
		{"line break instead of a character", "\n" + good[1:], false},
		{"line break more", good + "\n", false},
		{"letter of two bytes", "é" + good[2:], false},
		{"a key's token", tokenOf(strings.Repeat("a", 30)), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := account.CheckLinkToken(tt.token); got != tt.want {
				t.Errorf("CheckLinkToken(%q) = %v, want %v", tt.token, got, tt.want)
			}
		})
	}
	if account.HashLinkToken(good) != sha256.Sum256([]byte(good)) {
		t.Error("HashLinkToken is not the SHA-256")
	}
}

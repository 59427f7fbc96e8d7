package account_test

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

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
			must(t, err)
			want := account.Link{
				Hash: sha256.Sum256([]byte(token)), Purpose: tt.purpose,
				CreatedBy: "usr_1", CreatedAt: 1_000_000, ExpiresAt: 1_000_000 + tt.hours*3_600_000,
			}
			wantSame(t, "link", want, link)
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
	broken := iotest.ErrReader(io.ErrClosedPipe)
	wantIs(t, "random source that fails", two(account.NewLink(account.LinkReset, account.By{}, broken)), io.ErrClosedPipe)
}

func TestNewLinkToken(t *testing.T) {
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
		{"unused bits set", good[:42] + "B", false},
		{"line break instead of a character", "\n" + good[1:], false},
		{"line break more", good + "\n", false},
		{"letter of two bytes", "é" + good[2:], false},
		{"a key's token", tokenOf(strings.Repeat("a", 30)), false},
	}
	for _, tt := range tests {
		if got := account.CheckLinkToken(tt.token); got != tt.want {
			t.Errorf("%s: CheckLinkToken(%q) = %v, want %v", tt.name, tt.token, got, tt.want)
		}
	}
}

func TestAcceptLink(t *testing.T) {
	asks := account.User{ID: "usr_1", Email: "asks@example.org"}
	invite := account.Link{Purpose: account.LinkInvite, Email: "guest@example.org"}
	inviteAdmin := account.Link{Purpose: account.LinkInvite, Email: "guest@example.org", Admin: true}
	setup := account.Link{Purpose: account.LinkSetup}
	tests := []struct {
		name  string
		link  account.Link
		user  account.User
		users int
		want  account.User
		err   error
	}{
		{"an invitation decides the address", invite, asks, 3, account.User{ID: "usr_1", Email: "guest@example.org"}, nil},
		{"an invitation decides the rights", invite, account.User{ID: "usr_1", Admin: true}, 0, account.User{ID: "usr_1", Email: "guest@example.org"}, nil},
		{"an invitation of an administrator", inviteAdmin, asks, 3, account.User{ID: "usr_1", Email: "guest@example.org", Admin: true}, nil},
		{"the set-up", setup, asks, 0, account.User{ID: "usr_1", Email: "asks@example.org", Admin: true}, nil},
		{"the set-up of a service with users", setup, asks, 1, asks, account.ErrLinkGone},
	}
	for _, tt := range tests {
		if got, err := tt.link.Accept(tt.user, tt.users); got != tt.want || err != tt.err {
			t.Errorf("%s: %+v, %v; want %+v, %v", tt.name, got, err, tt.want, tt.err)
		}
	}
}

func TestLinkTarget(t *testing.T) {
	tests := []struct {
		link           account.Link
		target, object string
		fails          bool
	}{
		{account.Link{Purpose: account.LinkSetup}, "", "setup", false},
		{account.Link{Purpose: account.LinkInvite, Email: "a@b.c"}, "a@b.c", "a@b.c", false},
		{account.Link{Purpose: account.LinkReset, UserID: "usr_1"}, "usr_1", "usr_1", false},
		{account.Link{Purpose: account.LinkReset}, "", "reset", true},
		{account.Link{Purpose: "visit"}, "", "visit", true},
	}
	for _, tt := range tests {
		target, err := tt.link.Target()
		if target != tt.target || (err != nil) != tt.fails || tt.link.AuditObject() != tt.object {
			t.Errorf("%+v: target %q, %v, object %q", tt.link, target, err, tt.link.AuditObject())
		}
		again := account.Link{Purpose: tt.link.Purpose}
		if again.SetTarget(target); again != tt.link {
			t.Errorf("SetTarget(%q): %+v, want %+v", target, again, tt.link)
		}
	}
}

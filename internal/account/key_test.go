package account_test

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"strings"
	"testing"

	"gamedex/internal/account"
	"gamedex/internal/quota"
)

// TestLimitsFitTheCounter checks that package account's limits fit the counter:
// the two packages do not import each other.
func TestLimitsFitTheCounter(t *testing.T) {
	if account.MaxLimitMinute != quota.MaxMinute || account.MaxLimitDay != quota.MaxDay {
		t.Errorf("a key may have %d a minute and %d a day; the counter holds %d and %d",
			account.MaxLimitMinute, account.MaxLimitDay, quota.MaxMinute, quota.MaxDay)
	}
}

func TestKeyStatus(t *testing.T) {
	const now = 1000
	tests := []struct {
		name string
		key  account.Key
		want account.Status
	}{
		{"plain", account.Key{}, account.StatusActive},
		{"expires later", account.Key{ExpiresAt: now + 1}, account.StatusActive},
		{"expires now", account.Key{ExpiresAt: now}, account.StatusExpired},
		{"expired long ago", account.Key{ExpiresAt: 1}, account.StatusExpired},
		{"suspended", account.Key{SuspendedAt: 5}, account.StatusSuspended},
		{"suspended before expired", account.Key{SuspendedAt: 5, ExpiresAt: 1}, account.StatusSuspended},
		{"revoked", account.Key{RevokedAt: 5}, account.StatusRevoked},
		{"revoked before all", account.Key{RevokedAt: 5, SuspendedAt: 1, ExpiresAt: 1}, account.StatusRevoked},
	}
	for _, tt := range tests {
		if got := tt.key.Status(now); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestParsePermissions(t *testing.T) {
	tests := []struct {
		in   string
		want []string
		bad  string // a part of the error
	}{
		{"", []string{}, ""},
		{"  ", []string{}, ""},
		{"read:catalog", []string{"read:catalog"}, ""},
		{"read:account", []string{"read:account"}, ""},
		{" read:account , read:catalog,read:account", []string{"read:catalog", "read:account"}, ""},
		{"write:webhooks,read:catalog", []string{"read:catalog", "write:webhooks"}, ""},
		{"read:everything", nil, `permissions "read:everything": must be read:catalog, read:account or write:webhooks`},
		{"read:catalog,", nil, `permissions ""`},
		{"Read:Catalog", nil, `"Read:Catalog"`},
	}
	for _, tt := range tests {
		t.Run(tt.in, func(t *testing.T) {
			p, err := account.ParsePermissions(tt.in)
			if tt.bad != "" {
				if err == nil || !strings.Contains(err.Error(), tt.bad) {
					t.Fatalf("error %v, want one with %s", err, tt.bad)
				}
				return
			}
			must(t, err)
			wantSame(t, "list", tt.want, p.List())
			if again, err := account.ParsePermissions(p.String()); err != nil || again != p {
				t.Errorf("%q does not parse back: %v, %v", p.String(), again, err)
			}
		})
	}
}

func TestPermissionsHas(t *testing.T) {
	if !account.AllPermissions.Has(account.ReadCatalog) || account.ReadCatalog.Has(account.ReadAccount) ||
		account.ReadCatalog.Has(account.AllPermissions) || account.Permissions(0).Has(account.ReadCatalog) {
		t.Error("Has must report exactly the permissions of the set")
	}
}

func TestDraftCheck(t *testing.T) {
	const now = 1_700_000_000_000
	ok := account.Draft{Name: "build server"}
	with := func(change func(*account.Draft)) account.Draft {
		d := ok
		change(&d)
		return d
	}
	tests := []struct {
		name  string
		draft account.Draft
		field string // "": accepted
		text  string // a part of the error
	}{
		{"plain", ok, "", ""},
		{"one letter", account.Draft{Name: "я"}, "", ""},
		{"100 letters of 2 bytes", account.Draft{Name: strings.Repeat("я", 100)}, "", ""},
		{"no name", account.Draft{}, "name", `name "": must be 1 to 100 characters long`},
		{"101 letters", account.Draft{Name: strings.Repeat("я", 101)}, "name", "1 to 100"},
		{"only space", account.Draft{Name: " \u00a0"}, "name", "more than white space"},
		{"line break", account.Draft{Name: "a\nb"}, "name", `"a\nb"`},
		{"line separator", account.Draft{Name: "a\u2028b"}, "name", "line breaks"},
		{"escape", account.Draft{Name: "a\x1b[31m"}, "name", "control"},
		{"C1 control", account.Draft{Name: "a\u0085"}, "name", "control"},
		{"broken UTF-8", account.Draft{Name: "a\xff"}, "name", "UTF-8"},
		{"expires in a millisecond", with(func(d *account.Draft) { d.ExpiresAt = now + 1 }), "", ""},
		{"expires now", with(func(d *account.Draft) { d.ExpiresAt = now }), "expires", "2023-11-14T22:13:20Z"},
		{"expires before 1970", with(func(d *account.Draft) { d.ExpiresAt = -1 }), "expires", "future"},
		{"lowest limits", with(func(d *account.Draft) { d.LimitMinute, d.LimitDay = 1, 1 }), "", ""},
		{"highest limits", with(func(d *account.Draft) { d.LimitMinute, d.LimitDay = 262_143, 4_194_303 }), "", ""},
		{"minute too high", with(func(d *account.Draft) { d.LimitMinute = 262_144 }), "limit-minute", "262144: must be 1 to 262143"},
		{"minute below zero", with(func(d *account.Draft) { d.LimitMinute = -1 }), "limit-minute", "-1"},
		{"day too high", with(func(d *account.Draft) { d.LimitDay = 4_194_304 }), "limit-day", "4194304: must be 1 to 4194303"},
		{"unknown permission", with(func(d *account.Draft) { d.Permissions = 128 }), "permissions", "128"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.draft.Check(now)
			if tt.field == "" {
				must(t, err)
				return
			}
			if fault, ok := errors.AsType[*account.FieldError](err); !ok || fault.Field != tt.field || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("got %v, want a fault of %s with %q", err, tt.field, tt.text)
			}
			if _, _, issueErr := tt.draft.Issue(now, rand.Reader); issueErr == nil {
				t.Error("the invalid draft was issued")
			}
		})
	}
}

func TestIssue(t *testing.T) {
	const now = 1_700_000_000_000
	d := account.Draft{Name: "ci", UserID: "user_1", ExpiresAt: now + 5, LimitMinute: 7, LimitDay: 9}
	k, token, err := d.Issue(now, rand.Reader)
	must(t, err)
	if !account.CheckToken(token) || !strings.HasPrefix(k.ID, "key_") {
		t.Errorf("token %q, id %q", token, k.ID)
	}
	want := account.Key{
		ID: k.ID, Hash: sha256.Sum256([]byte(token)), Prefix: token[:8], Name: "ci", UserID: "user_1",
		CreatedAt: now, ExpiresAt: now + 5, Permissions: account.ReadCatalog | account.ReadAccount, LimitMinute: 7, LimitDay: 9,
	}
	wantSame(t, "key", want, k)
	d.Permissions = account.ReadAccount
	if k, _, _ := d.Issue(now, rand.Reader); k.Permissions != account.ReadAccount {
		t.Errorf("permissions %v, want those of the draft", k.Permissions)
	}
}

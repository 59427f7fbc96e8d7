package account_test

import (
	"testing"

	"gamedex/internal/account"
)

func TestReplaceEmail(t *testing.T) {
	tests := []struct{ text, want string }{
		{"", ""},
		{"ann@x.org", "ID"},
		{"Ann@X.ORG", "ID"},
		{"from ann@x.org to ann@x.org.", "from ID to ID."},
		{"<ann@x.org>", "<ID>"},
		{"cli:ann@x.org", "cli:ID"},
		{`{"email":"ann@x.org"}`, `{"email":"ID"}`},
		{`{"to":"\u003cann@x.org\u003e\nann@x.org\n"}`, `{"to":"\u003cID\u003e\nID\n"}`},
		{"joann@x.org", "joann@x.org"},
		{"jo.ann@x.org", "jo.ann@x.org"},
		{"жann@x.org", "жann@x.org"},
		{"ann@x.org.uk", "ann@x.org.uk"},
		{"ann@x.orgs ann@x.org", "ann@x.orgs ID"},
		{"- ann@x.org - ann@x.org...", "- ID - ID..."},
		{"--ann@x.org", "--ID"},
		{"ann@x.or", "ann@x.or"},
		{"\xff and ann@x.orgs", "\xff and ann@x.orgs"},
	}
	for _, tt := range tests {
		if got := account.ReplaceEmail(tt.text, "ann@x.org", "ID"); got != tt.want {
			t.Errorf("ReplaceEmail(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
	if got := account.ReplaceEmail("anything", "", "ID"); got != "anything" {
		t.Errorf("without an empty address: %q", got)
	}
	if got := account.ReplaceEmail("ЖАННА@пример.рф", "жанна@пример.рф", "ID"); got != "ID" {
		t.Errorf("an address beyond ASCII: %q", got)
	}
}

func TestShortenAddress(t *testing.T) {
	tests := []struct{ address, want string }{
		{"192.0.2.7", "192.0.2.0"},
		{"192.0.2.7:8080", "192.0.2.0"},
		{"::ffff:192.0.2.7", "192.0.2.0"},
		{"2001:db8:1:2::7", "2001:db8:1::"},
		{"[fe80::1%eth0]:80", "fe80::"},
		{"", ""},
		{"ann's telephone", ""},
	}
	for _, tt := range tests {
		if got := account.ShortenAddress(tt.address); got != tt.want {
			t.Errorf("ShortenAddress(%q) = %q, want %q", tt.address, got, tt.want)
		}
	}
}

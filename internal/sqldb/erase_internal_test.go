package sqldb

import "testing"

func TestWithoutEmail(t *testing.T) {
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
		if got := withoutEmail(tt.text, "ann@x.org", "ID"); got != tt.want {
			t.Errorf("withoutEmail(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
	if got := withoutEmail("anything", "", "ID"); got != "anything" {
		t.Errorf("without an empty address: %q", got)
	}
	if got := withoutEmail("ЖАННА@пример.рф", "жанна@пример.рф", "ID"); got != "ID" {
		t.Errorf("an address beyond ASCII: %q", got)
	}
}

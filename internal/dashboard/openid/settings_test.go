package openid_test

import (
	"fmt"
	"strings"
	"testing"

	"gamedex/internal/dashboard/openid"
)

func TestSettingsCheck(t *testing.T) {
	good := openid.Settings{Name: "Example", Issuer: "https://accounts.example.org", ClientID: "id", ClientSecret: "secret"}
	for _, tt := range []struct {
		name   string
		change func(*openid.Settings)
		want   string // in the error; "" none
	}{
		{"good", func(*openid.Settings) {}, ""},
		{"with a path", func(o *openid.Settings) { o.Issuer = "https://example.org/realms/a/" }, ""},
		{"this machine", func(o *openid.Settings) { o.Issuer = "http://127.0.0.1:9000" }, ""},
		{"this machine by IPv6", func(o *openid.Settings) { o.Issuer = "http://[::1]:9000" }, ""},
		{"this machine by name", func(o *openid.Settings) { o.Issuer = "http://localhost" }, ""},
		{"plain HTTP", func(o *openid.Settings) { o.Issuer = "http://accounts.example.org" }, "oidc-issuer"},
		{"plain HTTP to what looks like this machine", func(o *openid.Settings) { o.Issuer = "http://localhost.example.org" }, "oidc-issuer"},
		{"no address", func(o *openid.Settings) { o.Issuer = "accounts.example.org" }, "oidc-issuer"},
		{"nothing", func(o *openid.Settings) { o.Issuer = "" }, "oidc-issuer"},
		{"no host", func(o *openid.Settings) { o.Issuer = "https://" }, "oidc-issuer"},
		{"garbage", func(o *openid.Settings) { o.Issuer = "https://%zz" }, "oidc-issuer"},
		{"a query", func(o *openid.Settings) { o.Issuer = "https://accounts.example.org?a=b" }, "oidc-issuer"},
		{"a password", func(o *openid.Settings) { o.Issuer = "https://a:b@accounts.example.org" }, "oidc-issuer"},
		{"no id", func(o *openid.Settings) { o.ClientID = "" }, "oidc-client-id"},
		{"no secret", func(o *openid.Settings) { o.ClientSecret = "" }, "oidc-client-secret"},
		{"no name", func(o *openid.Settings) { o.Name = "" }, "oidc-name"},
	} {
		o := good
		tt.change(&o)
		err := o.Check()
		if got := fmt.Sprint(err); (err != nil) != (tt.want != "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.want)
		}
	}
}

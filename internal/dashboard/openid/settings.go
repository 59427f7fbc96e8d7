package openid

import (
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
)

// Settings name a provider of OpenID Connect that people may sign in with.
//
// Whoever names a provider trusts it to know whose an email address is: an
// address that it calls verified opens the account that has this address here,
// an administrator's too, and takes the invitation that waits for it. A
// provider where anybody may call himself anything must not be named.
type Settings struct {
	Name         string // shown on the button
	Issuer       string // exactly as the provider writes it
	ClientID     string
	ClientSecret string
	// Client asks the provider. Nil is one that waits 10 seconds, reads a
	// megabyte and follows no redirects.
	Client *http.Client
}

// Check says what is wrong with the settings, by the names of their flags. It
// does not ask the provider.
func (s Settings) Check() error {
	u, err := url.Parse(s.Issuer)
	if err != nil || !confidential(s.Issuer) || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return fmt.Errorf("oidc-issuer %q: must be an https address as the provider writes it, such as "+
			"https://accounts.example.org, or an http one on this machine", s.Issuer)
	}
	for _, setting := range []struct{ flag, value string }{
		{"oidc-client-id", s.ClientID}, {"oidc-client-secret", s.ClientSecret}, {"oidc-name", s.Name},
	} {
		if setting.value == "" {
			return fmt.Errorf("%s: must not be empty when oidc-issuer is set", setting.flag)
		}
	}
	return nil
}

// confidential says whether nobody on the way can read what is sent to an
// address: it is HTTPS, or on this machine.
func confidential(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return false
	}
	ip, _ := netip.ParseAddr(u.Hostname())
	loopback := u.Hostname() == "localhost" || ip.IsLoopback()
	return u.Scheme == "https" || u.Scheme == "http" && loopback
}

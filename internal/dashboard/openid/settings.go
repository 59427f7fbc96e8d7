package openid

import (
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
)

// Settings name a provider of OpenID Connect that people may sign in with.
//
// The provider is trusted to know who owns an email address: an address that it
// calls verified opens the account with this address, even an administrator's,
// and accepts an invitation to it. Do not use a provider that lets people claim
// any address.
type Settings struct {
	Name         string // shown on the button
	Issuer       string // exactly as the provider writes it
	ClientID     string
	ClientSecret string
	// Client sends the requests. The default waits 10 seconds, reads a megabyte
	// and follows no redirects.
	Client *http.Client
}

// Check returns what is wrong with the settings, with the names of their flags. It
// does not contact the provider.
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
			return fmt.Errorf("%s: must be set, because --oidc-issuer is", setting.flag)
		}
	}
	return nil
}

// confidential reports whether nobody on the way can read what is sent to an
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

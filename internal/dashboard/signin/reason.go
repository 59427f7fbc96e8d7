package signin

import "net/url"

// reasons are the keys of the sentences that say for what a visitor signs in, by the part of the
// site to which the sign-in returns.
var reasons = [...]struct{ section, key string }{
	{"/keys", "signin.for.keys"},
	{"/usage", "signin.for.usage"},
	{"/profile", "signin.for.profile"},
	{"/admin", "signin.for.admin"},
	{"/browse", "signin.for.catalog"},
	{"/deals", "signin.for.catalog"},
	{"/games", "signin.for.catalog"},
}

// reasonFor returns the key of the sentence for a path of this server; "" if the page there needs
// no account.
func (p *Pages) reasonFor(back string) string {
	u, err := url.Parse(back)
	if err != nil {
		return ""
	}
	for _, r := range reasons {
		if p.site.In(u.Path, r.section) {
			return r.key
		}
	}
	return ""
}

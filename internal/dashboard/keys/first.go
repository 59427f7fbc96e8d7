package keys

import (
	"net/url"

	"gamedex/internal/account"
	"gamedex/internal/dashboard/web"
)

// Command is a request as a curl command, and what it is for.
type Command struct {
	Heading string // key of the message
	Curl    string
}

// FirstRequests returns requests to begin with, for a key with permissions. They ask for a
// game that the catalog has.
func (p *Pages) FirstRequests(v *web.Visit, token string, may account.Permissions) []Command {
	if !may.Has(account.ReadCatalog) {
		return []Command{{"keys.first.account", p.site.Curl(token, accountPath)}}
	}
	title, id := p.Example(v)
	if id == "" {
		return []Command{{"keys.first.platforms", p.site.Curl(token, "/api/v1/catalog/platforms")}}
	}
	return []Command{
		{"keys.first.find", p.site.Curl(token, "/api/v1/catalog/search?"+url.Values{"q": {title}, "limit": {"3"}}.Encode())},
		{"keys.first.compare", p.site.Curl(token, "/api/v1/catalog/prices?"+url.Values{"ids": {id}, "regions": {"all"}}.Encode())},
	}
}

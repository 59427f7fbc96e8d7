package main

import (
	"fmt"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/alecthomas/kong"

	"gamedex/internal/catalog"
	"gamedex/internal/dashboard/openid"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/node"
	"gamedex/internal/serve"
)

// collectFlags are the flags of serve and collect once about the stores: a node.StoreConfig.
type collectFlags struct {
	CollectProfile string `placeholder:"FILE" help:"File that says what to read from the stores, how often and how fast (doc/operations/collecting.md). Without it, nothing is collected."`
	CollectTexts   bool   `help:"Collect descriptions too. Make sure that you may pass them on."`
	CollectImages  bool   `help:"Collect links to pictures too; the pictures are not copied."`
}

// filterFlags are the flags of commands that work on some of the listings.
type filterFlags struct {
	Platform string `placeholder:"P" help:"Only this platform: consolestore or pcstore."`
	Region   string `placeholder:"R" help:"Only this country: its code or its English name."`
}

// parse returns the platform and the region; a zero one selects all.
func (f *filterFlags) parse() (p catalog.Platform, r catalog.Region, err error) {
	if f.Platform != "" {
		if p, err = catalog.ParsePlatform(f.Platform); err != nil {
			return p, r, fmt.Errorf("--platform: %w", err)
		}
	}
	if f.Region != "" {
		if r, err = catalog.FindRegion(f.Region); err != nil {
			return p, r, fmt.Errorf("--region: %w", err)
		}
	}
	return p, r, nil
}

// bucketFlag is the flag of serve and check about the snapshots.
type bucketFlag struct {
	Bucket string `placeholder:"WHERE" help:"Where the snapshots are: a folder (default: snapshots in the data folder), or an S3 service: s3://BUCKET/PREFIX?endpoint=https://HOST&region=REGION. Its credentials come from the environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY), ~/.aws/credentials or the role of the machine."`
}

func (f *bucketFlag) bucket(c *commands) (node.Bucket, error) {
	if f.Bucket == "" {
		return node.Bucket{Folder: filepath.Join(c.DataDir, "snapshots")}, nil
	}
	return node.ParseBucket(f.Bucket)
}

// ratesFlags are the flags of serve and rates refresh about rate providers: a node.RateConfig.
type ratesFlags struct {
	RatesFrom string `placeholder:"URL|FILE" help:"Take exchange rates from this table, in the format of data in /catalog/exchange-rates (default: European Central Bank and National Bank of Ukraine)."`
	OXRKey    string `name:"openexchangerates-key" placeholder:"KEY" help:"Take exchange rates from openexchangerates.org with your own app id. Its terms forbid resale: check whether you may pass them on. Set it in the environment, where other users do not see it."`
	ECBURL    string `name:"ecb-url" placeholder:"URL" help:"URL of the European Central Bank's daily table (default: the bank's own)."`
	NBUURL    string `name:"nbu-url" placeholder:"URL" help:"URL of the National Bank of Ukraine's table (default: the bank's own)."`
	OXRURL    string `name:"openexchangerates-url" placeholder:"URL" help:"URL of the table of openexchangerates.org (default: the provider's own)."`
}

// dashboardFlags are the flags of serve about who may sign in, and how.
type dashboardFlags struct {
	SignUp           string    `name:"signup" default:"invite" enum:"closed,invite,open" help:"Who may create an account in the dashboard: nobody (closed), people with an invitation (invite) or everybody (open)."`
	PublicPages      bool      `help:"Show games, prices and deals to everybody, without an account, at addresses that search engines may list. They begin with --public-url."`
	TrustedProxies   string    `placeholder:"CIDR,…" help:"Proxies whose X-Forwarded-For and X-Forwarded-Proto are trusted, for example 127.0.0.1,10.0.0.0/8 (default: none)."`
	CountryHeader    string    `placeholder:"NAME" help:"Header in which trusted proxies send the visitor's country, for example CF-IPCountry. The first page shows prices in that country; without the header, in that of the browser's language."`
	ImageHosts       []string  `placeholder:"HOST,…" help:"Hosts from which the dashboard's pages may load covers, for example images.example (default: only this server)."`
	AuditRetention   wholeDays `default:"365d" placeholder:"DAYS" help:"How long the audit log is kept, for example 90d, or forever. IP addresses in it are shortened after 30 days."`
	OIDCIssuer       string    `name:"oidc-issuer" placeholder:"URL" help:"Let people sign in with this OpenID Connect provider as well. Email addresses that it verified are trusted."`
	OIDCClientID     string    `name:"oidc-client-id" placeholder:"ID" help:"Client ID of this service at the provider."`
	OIDCClientSecret string    `name:"oidc-client-secret" placeholder:"SECRET" help:"Client secret. Set it in the environment, where other users do not see it."`
	OIDCName         string    `name:"oidc-name" default:"OpenID Connect" help:"Name of the provider on the sign-in button."`
}

// check rejects flags that cannot work, before anything is opened.
func (f *dashboardFlags) check() error {
	if _, err := serve.ParseProxies(f.TrustedProxies); err != nil {
		return fmt.Errorf("--%w", err)
	}
	if err := checkCountryHeader(f.CountryHeader, f.TrustedProxies); err != nil {
		return err
	}
	if _, err := web.ParseImageHosts(f.ImageHosts); err != nil {
		return fmt.Errorf("--%w", err)
	}
	if oidc := f.oidc(); oidc != nil {
		if err := oidc.Check(); err != nil {
			return fmt.Errorf("--%w", err)
		}
	}
	return nil
}

// checkCountryHeader checks the name of a header that only proxies may set; "" is none.
func checkCountryHeader(name, proxies string) error {
	switch {
	case name == "":
		return nil
	case strings.ContainsFunc(name, func(r rune) bool {
		return r != '-' && (r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r))
	}):
		return fmt.Errorf("--country-header %q: must be the name of a header, such as CF-IPCountry", name)
	case strings.TrimSpace(proxies) == "":
		return fmt.Errorf("--country-header %s: requires --trusted-proxies; the header is read only in their requests", name)
	}
	return nil
}

func (f *dashboardFlags) oidc() *openid.Settings {
	if f.OIDCIssuer == "" && f.OIDCClientID == "" && f.OIDCClientSecret == "" {
		return nil
	}
	return &openid.Settings{Name: f.OIDCName, Issuer: f.OIDCIssuer, ClientID: f.OIDCClientID, ClientSecret: f.OIDCClientSecret}
}

// wholeDays is a number of days: "90d", or "forever", which is 0.
type wholeDays int

// UnmarshalText parses a number of days or "forever".
func (d *wholeDays) UnmarshalText(text []byte) error {
	if string(text) == "forever" {
		*d = 0
		return nil
	}
	number, ok := strings.CutSuffix(string(text), "d")
	n, err := strconv.Atoi(number)
	if !ok || err != nil || n < 1 || n > 36500 {
		return fmt.Errorf(`%q: must be days such as 90d (1d to 36500d), or "forever"`, text)
	}
	*d = wholeDays(n)
	return nil
}

// mapInt reads a whole number.
func mapInt(ctx *kong.DecodeContext, target reflect.Value) error {
	return mapNumber(ctx, target, "a whole number", strconv.Atoi)
}

// mapDuration reads a duration.
func mapDuration(ctx *kong.DecodeContext, target reflect.Value) error {
	return mapNumber(ctx, target, "a duration such as 10s, 5m or 1h30m", time.ParseDuration)
}

// mapNumber reads the next argument. Unlike kong's own mappers, it reads -5 as a number, not as a flag.
func mapNumber[T int | time.Duration](ctx *kong.DecodeContext, target reflect.Value, want string, parse func(string) (T, error)) error {
	token := ctx.Scan.Pop()
	if token.IsEOL() {
		return fmt.Errorf("%s is missing", want)
	}
	n, err := parse(token.String())
	if err != nil {
		return fmt.Errorf("%q: must be %s", token.String(), want)
	}
	target.SetInt(int64(n))
	return nil
}

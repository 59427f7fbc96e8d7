package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// parse parses a command line.
func parse(t *testing.T, args ...string) *commands {
	t.Helper()
	var c commands
	parser, err := newParser(&c, &program{Stdout: io.Discard, Stderr: io.Discard})
	if err == nil {
		_, err = parser.Parse(args)
	}
	if err != nil {
		t.Fatal(err)
	}
	return &c
}

func TestServeRefusesURLs(t *testing.T) {
	const public, origin = "--public-url", "--cors-origin"
	for _, c := range []struct {
		flag, value string
		good        bool
	}{
		{public, "https://games.example", true},
		{public, "https://games.example/prices/", true},
		{public, "http://[::1]:8080", true},
		{public, "games.example", false},
		{public, "//games.example", false},
		{public, "ftp://games.example", false},
		{public, "https://", false},
		{public, "https://user@games.example", false},
		{public, "https://games.example?a=b", false},
		{public, "https://games.example/%zz", false},
		{origin, "*", true},
		{origin, "https://app.example", true},
		{origin, "http://127.0.0.1:3000", true},
		{origin, "https://app.example/", false},
		{origin, "app.example", false},
		{origin, "https://a.example,https://b.example", true},
		{origin, "https://a.example https://b.example", true},
		{origin, "", true},
	} {
		parsed := parse(t, "serve", c.flag, c.value)
		_, err := parsed.Serve.check(parsed)
		if good := err == nil; good != c.good {
			t.Errorf("%s %s: %v", c.flag, c.value, err)
		}
		if err != nil && !strings.HasPrefix(err.Error(), c.flag+" "+c.value+": must be ") {
			t.Errorf("%s %s: %v names neither flag nor value", c.flag, c.value, err)
		}
	}
}

func TestSeveralOrigins(t *testing.T) {
	for name, c := range map[string]struct {
		env   string
		flags []string
		want  string // the origins, or the end of the error
	}{
		"flag given twice":       {"", []string{"--cors-origin", "https://a.example", "--cors-origin", "https://B.example"}, "https://a.example https://b.example"},
		"commas and spaces":      {"https://a.example, https://b.example https://c.example", nil, "https://a.example https://b.example https://c.example"},
		"the flag overrides":     {"https://a.example", []string{"--cors-origin", "*"}, "*"},
		"one of several is none": {"", []string{"--cors-origin", "https://a.example", "--cors-origin", "b.example"}, "--cors-origin b.example: must be * or an origin such as https://games.example, without a path"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.env != "" {
				t.Setenv("GAMEDEX_CORS_ORIGIN", c.env)
			}
			parsed := parse(t, append([]string{"serve"}, c.flags...)...)
			got := strings.Join(parsed.Serve.origins(), " ")
			if _, err := parsed.Serve.check(parsed); err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestNoArguments checks that the help is printed, on standard error because
// there is no command.
func TestNoArguments(t *testing.T) {
	var stdout, stderr strings.Builder
	p := &program{Stdout: &stdout, Stderr: &stderr}
	if status := p.run(t.Context(), nil); status != statusUsage || stdout.String() != "" {
		t.Errorf("status %d, standard output %q", status, stdout.String())
	}
	for _, want := range []string{"Usage: gamedex <command>", "gamedex serve --demo", "Run the service"} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("the help lacks %q:\n%s", want, stderr.String())
		}
	}
}

// TestWrongValues checks that an error of a flag names the flag, its value, and what to give
// instead, and that it comes before anything is opened or created.
func TestWrongValues(t *testing.T) {
	t.Parallel()
	const address = ": must be HOST:PORT such as 127.0.0.1:8080, or :8080 for all addresses of this machine; the port is a number from 0 to 65535"
	for _, c := range []struct{ args, want string }{
		{"serve --addr foo", `--addr "foo"` + address},
		{"serve --addr=", `--addr ""` + address},
		{"serve --addr :99999", `--addr ":99999"` + address},
		{"serve --addr 127.0.0.1:-1", `--addr "127.0.0.1:-1"` + address},
		{"serve --addr ::1:80", `--addr "::1:80"` + address},
		{"serve --addr http://localhost:80", `--addr "http://localhost:80"` + address},
		{"serve --addr localhost:web", `--addr "localhost:web"` + address},
		{"serve --ops-addr localhost", `--ops-addr "localhost"` + address},
		{"serve --limit-minute -5", `--limit-minute -5: must be 1 to 262143`},
		{"serve --limit-minute=many", `--limit-minute: "many": must be a whole number (see gamedex serve --help)`},
		{"serve --limit-minute 1.5", `--limit-minute: "1.5": must be a whole number (see gamedex serve --help)`},
		{"serve --limit-minute 99999999999999999999", `--limit-minute: "99999999999999999999": must be a whole number (see gamedex serve --help)`},
		{"serve --limit-minute --demo", `--limit-minute: "--demo": must be a whole number (see gamedex serve --help)`},
		{"serve --limit-minute", `--limit-minute: a whole number is missing (see gamedex serve --help)`},
		{"serve --limit-day 0", `--limit-day 0: must be 1 to 4194303`},
		{"serve --answer-cache -1", `--answer-cache -1: must be 0 to 65536, in MiB`},
		{"serve --drain -1s", `--drain -1s: must be 0s to 10m`},
		{"serve --drain 10m1ms", `--drain 10m0.001s: must be 0s to 10m`},
		{"serve --drain 5", `--drain: "5": must be a duration such as 10s, 5m or 1h30m (see gamedex serve --help)`},
		{"serve --drain", `--drain: a duration such as 10s, 5m or 1h30m is missing (see gamedex serve --help)`},
		{"serve --keep-snapshots -1h", `--keep-snapshots -1h0m0s: must be 0s to 8760h`},
		{"serve --keep-snapshots 2d", `--keep-snapshots: "2d": must be a duration such as 10s, 5m or 1h30m (see gamedex serve --help)`},
		{"serve --log-level loud", `--log-level must be one of "debug","info","warn","error" but got "loud" (see gamedex serve --help)`},
		{"serve --audit-retention 5", `--audit-retention: "5": must be days such as 90d (1d to 36500d), or "forever" (see gamedex serve --help)`},
		{"serve --console-name=", `--console-name "": must not be blank; leave the flag out for the default`},
		{"serve --pc-name=", `--pc-name "": must not be blank; leave the flag out for the default`},
		{"serve --node-name " + strings.Repeat("x", 101), `--node-name: "` + strings.Repeat("x", 100) + `": must be at most 100 bytes of printable text`},
		{"serve --public-url foo", `--public-url foo: must be a URL such as https://games.example`},
		{"serve --country-header CF:IP --trusted-proxies 10.0.0.1", `--country-header "CF:IP": must be the name of a header, such as CF-IPCountry`},
		{"serve --country-header CF-IPCountry", `--country-header CF-IPCountry: requires --trusted-proxies; the header is read only in their requests`},
		{"serve --trusted-proxies bad", `--trusted-proxies "bad": must be an address or a network, like 10.0.0.1, 10.0.0.0/8 or fd00::/8, without a zone`},
		{"serve --image-hosts http://a/b", `--image-hosts "http://a/b": must be a host such as img.example, or an origin such as https://img.example`},
		{"serve --oidc-issuer https://id.example", `--oidc-client-id: must be set, because --oidc-issuer is`},
		{"serve --active-regions XX", `--active-regions: region "XX" is not a country: write its code (DE, DEU) or its English name (Germany)`},
		{"serve --ecb-url foo", `--ecb-url: exchange rates: the address "foo" is not https://HOST/PATH`},
		{"serve --rates-from ftp://x/y", `--rates-from ftp://x/y: must be a URL with http or https, or a file`},
		{"serve --collect-profile nowhere.json", `--collect-profile: open nowhere.json: no such file or directory`},
		{"serve --counters redis", `--counters: must be memory, or a URL such as redis://host:6379`},
		{"serve --bucket http://a/b", `--bucket: must be a folder, or a location such as s3://bucket/prefix?endpoint=https://s3.example&region=eu-central-1`},
		{"--database games.db serve", `--database: "games.db": must be sqlite:PATH or postgres://USER@HOST/DATABASE`},
		{"--database mysql://me:secret@h/d key list", `--database: "mysql:": must be sqlite:PATH or postgres://USER@HOST/DATABASE`},
		{"copy --to games.db", `--to: "games.db": must be sqlite:PATH or postgres://USER@HOST/DATABASE`},
		{"key create --name x --limit-minute -5", `--limit-minute -5: must be 1 to 262143, or 0 for the default`},
		{"key create --name x --limit-day 4194304", `--limit-day 4194304: must be 1 to 4194303, or 0 for the default`},
		{"key create --name x --expires yesterday", `--expires "yesterday": must be an RFC 3339 time such as 2027-01-31T00:00:00Z`},
		{"key create --name x --expires 2020-01-01T00:00:00Z", `--expires 2020-01-01T00:00:00Z: must be in the future`},
		{"key create --name x --permissions write", `--permissions "write": must be read:catalog, read:account or write:webhooks`},
		{"key create --name=", `--name "": must be 1 to 100 characters long`},
		{"import --complete TR -", `--complete "TR": must be PLATFORM:REGION such as consolestore:TR`},
		{"import --complete pcstore:XX -", `--complete "pcstore:XX": region "XX" is not a country: write its code (DE, DEU) or its English name (Germany)`},
		{"import --decimal . -", `--decimal, --columns, --platform and --region are only for tables: add --csv`},
		{"import --csv --decimal x -", `--decimal "x": must be "," or "."`},
		{"import --csv --platform xbox -", `--platform: platform "xbox" is not one of consolestore, pcstore`},
		{"import --csv --region Narnia -", `--region: region "Narnia" is not a country: write its code (DE, DEU) or its English name (Germany)`},
		{"import --csv --columns Game -", `--columns "Game": must be HEADER=FIELD, such as Game=title`},
		{"import --csv --columns A=slug,a=title -", `--columns "a=title": the column "A" has a field already`},
		{"import --csv --dry-run --strict -", `--dry-run stores nothing: leave out --strict and --complete`},
		{"export --platform xbox", `--platform: platform "xbox" is not one of consolestore, pcstore`},
		{"export --region XX", `--region: region "XX" is not a country: write its code (DE, DEU) or its English name (Germany)`},
		{"serv", `unknown command serv, did you mean one of "serve", "user"? (see gamedex --help)`},
		{"key lst", `unknown command lst, did you mean "list"? (see gamedex key --help)`},
		{"import a.ndjson --srict", `unknown flag --srict, did you mean "--strict"? (see gamedex import --help)`},
		{"import", `missing "<file> ..." (see gamedex import --help)`},
		{"import nowhere.csv", `nowhere.csv: no such file or directory`},
		{"key", `expected one of "create", "list", "revoke", "suspend", "resume" (see gamedex key --help)`},
		{"key create", `missing flags: --name=STRING (see gamedex key create --help)`},
		{"serve more", `unexpected argument more (see gamedex serve --help)`},
		{"serve --adr x", `unknown flag --adr, did you mean "--addr"? (see gamedex serve --help)`},
	} {
		dir := filepath.Join(t.TempDir(), "data")
		var stderr strings.Builder
		p := &program{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: &stderr, Now: time.Now, Exit: func(int) {}}
		status := p.run(t.Context(), append([]string{"--data-dir", dir}, strings.Fields(c.args)...))
		if want := "gamedex: " + c.want + "\n"; status == statusDone || stderr.String() != want {
			t.Errorf("gamedex %s: status %d\n%swant\n%s", c.args, status, stderr.String(), want)
		}
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("gamedex %s: the data folder: %v", c.args, err)
		}
	}
}

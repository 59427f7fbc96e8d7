// Package internal_test checks rules that hold for all packages together.
package internal_test

import (
	"errors"
	"go/build"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// importTable is the import table of doc/design.md: for each package, the
// packages of this module that it imports, no more and no fewer. Test files may
// import more.
const importTable = `
money:
fold:
catalog: money
snapshot:
acronym:
translit:
search: acronym snapshot fold translit search/edits search/nameset search/spelling
search/edits:
search/nameset: snapshot
search/spelling: fold
index: cardset catalog fold history money snapshot search index/internal/layout
bucket:
feed: catalog history money feed/table
feed/table:
feed/importer: catalog feed history
feed/rejected: feed
lease:
paging: catalog
cardset:
cardfilter: cardset catalog index
browse: cardfilter cardset catalog index paging
deals: cardfilter cardset history index money paging
registry:
upstream:
rates: money upstream lease
pcstore: catalog catalog/titles money sweep upstream
publish: bucket catalog money index
build: catalog catalog/merge catalog/override history index index/pack publish bucket lease money
account:
quota:
quota/shared: account quota registry
deflate:
sqldb:
sqldb/accounts: account quota sqldb
sqldb/listings: catalog history money sqldb sweep
sqldb/nodes: account catalog history lease registry sqldb sqldb/accounts
sqldb/sweeps: catalog lease sqldb sqldb/listings sqldb/nodes sweep
sqldb/sqlite: sqldb sqldb/upgrade
sqldb/postgres: sqldb sqldb/upgrade
sqldb/transfer: sqldb
sqldb/upgrade: catalog history money
sqldb/sqldbtest: enginetest sqldb sqldb/postgres sqldb/sqlite
database: sqldb sqldb/accounts sqldb/listings sqldb/nodes sqldb/postgres sqldb/sqlite sqldb/sweeps sqldb/transfer
database/adversary:
serve:
logqueue:
api: browse cardfilter cardset catalog deals history index account money paging quota serve api/bulk api/cards api/params api/pricehistory api/respond api/selection api/wire
demo: catalog history money
api/bulk: catalog history money index deflate api/respond api/selection api/wire
api/cards: browse catalog deals history index api/bulk api/respond api/wire
api/params: cardfilter catalog index money paging api/bulk api/selection api/wire
api/pricehistory: catalog history index money api/respond api/selection api/wire
api/respond: deflate
api/selection: catalog index api/respond api/wire
api/wire: money index
dashboard: index dashboard/admin dashboard/browse dashboard/deals dashboard/explore dashboard/game dashboard/home dashboard/keys dashboard/reference dashboard/signin dashboard/sitemap dashboard/status dashboard/web
catalog/merge: catalog catalog/override catalog/titles money fold
catalog/override: catalog
catalog/titles: fold
index/pack: catalog catalog/merge history money snapshot search index/internal/layout
index/internal/layout: catalog history money snapshot
sweep: catalog
history: catalog money
dashboard/chart: money
dashboard/openid: serve
dashboard/web: account catalog money serve
dashboard/admin: account catalog quota dashboard/keys dashboard/signin dashboard/status dashboard/web
dashboard/explore: catalog fold index money dashboard/web
dashboard/browse: index dashboard/explore dashboard/web
dashboard/home: account index dashboard/explore dashboard/keys dashboard/status dashboard/web
dashboard/deals: catalog index money dashboard/explore dashboard/web
dashboard/sitemap: index dashboard/explore dashboard/web
dashboard/game: catalog index money dashboard/chart dashboard/explore dashboard/web
dashboard/reference: dashboard/web
dashboard/status: catalog index money registry sweep dashboard/web
dashboard/keys: account quota dashboard/chart dashboard/web
dashboard/signin: account serve dashboard/openid dashboard/web
consolestore: catalog money sweep upstream
collect: catalog money sweep lease upstream feed
catalogtest: catalog money
history/historytest: catalog history money
enginetest:
storesim: catalog money
overrides: account catalog/override database
move: database overrides registry sqldb sqldb/transfer
profile: account catalog collect consolestore pcstore upstream
clidoc:
datadir: catalog
node: account api bucket bucket/s3 build catalog collect consolestore dashboard dashboard/admin dashboard/keys dashboard/openid dashboard/reference dashboard/signin dashboard/status dashboard/web database datadir demo history index lease money overrides pcstore profile publish quota quota/shared rates registry serve snapshot sqldb sqldb/listings sqldb/nodes sweep upstream
bucket/buckettest: bucket
quota/quotatest: quota
bucket/s3: bucket
search/quality: search
api/apitest:
dashboard/browsertest:
dashboard/oidctest:
`

// parseImports returns the table's packages and what each imports.
func parseImports() map[string]string {
	imports := make(map[string]string)
	for line := range strings.Lines(strings.TrimSpace(importTable)) {
		name, imported, _ := strings.Cut(line, ":")
		imports[name] = imported
	}
	return imports
}

func TestImportTable(t *testing.T) {
	imports := parseImports()
	for _, p := range modulePackages(t) {
		name := filepath.ToSlash(p.Dir)
		allowed, known := imports[name]
		if !known {
			t.Errorf("package %s is not in the import table", name)
			continue
		}
		var own []string
		for _, imported := range p.Imports {
			if ours, ok := strings.CutPrefix(imported, "gamedex/"); ok {
				own = append(own, strings.TrimPrefix(ours, "internal/"))
			}
		}
		want := strings.Fields(allowed)
		slices.Sort(own)
		slices.Sort(want)
		if !slices.Equal(own, want) {
			t.Errorf("%s imports %q; the table has %q", name, own, want)
		}
	}
}

func TestImportTableHasNoGhosts(t *testing.T) {
	var present []string
	for _, p := range modulePackages(t) {
		present = append(present, filepath.ToSlash(p.Dir))
	}
	for name := range parseImports() {
		if !slices.Contains(present, name) {
			t.Errorf("the import table names %s, which does not exist", name)
		}
	}
}

// modulePackages returns the packages below this directory. It reads the files
// itself: the result of a test is cached until a file changes that it opened, and
// what a go command opens does not count.
func modulePackages(t *testing.T) []*build.Package {
	t.Helper()
	var all []*build.Package
	err := filepath.WalkDir(".", func(dir string, entry fs.DirEntry, err error) error {
		if err != nil || dir == "." || !entry.IsDir() {
			return err
		}
		if entry.Name() == "testdata" {
			return filepath.SkipDir
		}
		p, err := build.ImportDir(dir, 0)
		if none := (*build.NoGoError)(nil); errors.As(err, &none) {
			return nil
		}
		all = append(all, p)
		return err
	})
	if err != nil {
		t.Fatalf("read packages: %v", err)
	}
	return all
}

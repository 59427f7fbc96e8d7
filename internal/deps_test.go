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

// importTable has for each package the
// packages of this module that it imports, no more and no fewer. Test files may
// import more.
const importTable = `
account:
api: account api/bulk api/cards api/matches api/overview api/params api/pricehistory api/respond api/selection api/subscription api/wire catalog clients/python history index index/cardset lists lists/browse lists/deals money quota resolve serve webhook
api/bulk: api/deflate api/respond api/selection api/wire catalog history index lists money
api/cards: api/bulk api/respond api/wire catalog history index index/cardset lists/browse lists/deals money
api/deflate:
api/matches: api/params api/wire index resolve
api/overview: catalog index money
api/params: api/bulk api/selection api/wire catalog history index lists lists/deals money
api/pricehistory: api/respond api/selection api/wire catalog history index money
api/respond: api/deflate
api/selection: api/respond api/wire catalog index index/cardset
api/subscription: api/params api/selection api/wire index webhook
api/wire: index money
bucket:
bucket/s3: bucket
builder: bucket catalog catalog/merge catalog/override history index index/pack lease money publish
catalog: fold money
catalog/markup:
catalog/merge: catalog catalog/override catalog/titles fold money
catalog/override: catalog
catalog/titles: fold
collect: catalog feed lease money sweep upstream
consolestore: catalog catalog/markup money sweep upstream
dashboard: api/overview dashboard/admin dashboard/browse dashboard/deals dashboard/explore dashboard/game dashboard/home dashboard/keys dashboard/reference dashboard/signin dashboard/sitemap dashboard/status dashboard/web dashboard/webhooks money
dashboard/admin: account catalog dashboard/keys dashboard/signin dashboard/status dashboard/web dashboard/webhooks quota webhook
dashboard/browse: dashboard/explore dashboard/web
dashboard/chart: money
dashboard/deals: api/overview catalog dashboard/explore dashboard/web money
dashboard/explore: api/overview catalog dashboard/web money
dashboard/game: catalog catalog/markup dashboard/chart dashboard/explore dashboard/web fold money
dashboard/home: account api/overview catalog dashboard/explore dashboard/keys dashboard/status dashboard/web money
dashboard/keys: account dashboard/chart dashboard/web quota
dashboard/openid: serve
dashboard/reference: dashboard/reference/samples dashboard/web
dashboard/reference/samples:
dashboard/signin: account dashboard/openid dashboard/web serve
dashboard/sitemap: api/overview catalog dashboard/explore dashboard/web
dashboard/status: api/overview catalog dashboard/web money registry sweep
dashboard/web: account catalog fold money serve
dashboard/webhooks: account api/overview api/selection catalog dashboard/explore dashboard/web money webhook
demo: catalog history money
feed: catalog feed/table history money
feed/importer: catalog feed feed/table history
feed/rejected: feed
feed/table: catalog fold money search/translit
fold:
history: catalog money
index: catalog history index/cardset index/internal/layout money search search/spelling snapshot
index/cardset:
index/internal/layout: catalog history money snapshot
index/pack: catalog catalog/merge history index/internal/layout money search snapshot
lease:
lists: catalog index index/cardset
lists/browse: catalog index index/cardset lists
lists/deals: catalog history index index/cardset lists money
mcp: catalog fold money search/spelling
money: fold
node: account api bucket bucket/s3 builder catalog collect consolestore dashboard dashboard/admin dashboard/keys dashboard/openid dashboard/reference dashboard/signin dashboard/status dashboard/web dashboard/webhooks demo index lease money node/conditions node/datadir node/overrides node/platforms node/profile pcstore publish quota quota/shared rates registry serve snapshot sqldb sqldb/engine sqldb/listings sqldb/nodes sweep upstream webhook
node/conditions:
node/datadir: catalog
node/overrides: account catalog/override sqldb sqldb/nodes
node/platforms: catalog index sqldb sweep
node/profile: catalog collect consolestore pcstore upstream
pcstore: catalog catalog/titles money sweep upstream
publish: bucket catalog index money
quota:
quota/shared: account quota registry
rates: lease money upstream
registry:
resolve: catalog fold index search search/spelling
search: fold search/acronym search/spelling search/terms search/translit snapshot
search/acronym: search/terms snapshot
search/spelling: fold
search/terms: snapshot
search/translit: fold search/spelling
serve:
snapshot:
sqldb: sqldb/accounts sqldb/engine sqldb/listings sqldb/nodes sqldb/postgres sqldb/sqlite sqldb/sweeps sqldb/transfer sqldb/webhooks
sqldb/accounts: account quota sqldb/engine
sqldb/engine:
sqldb/listings: catalog history money sqldb/engine sweep
sqldb/nodes: account catalog history lease registry sqldb/accounts sqldb/engine
sqldb/postgres: sqldb/engine sqldb/upgrade
sqldb/sqlite: sqldb/engine sqldb/upgrade
sqldb/sweeps: catalog lease sqldb/engine sqldb/listings sqldb/nodes sweep
sqldb/transfer: sqldb/engine
sqldb/upgrade: catalog history money
sqldb/webhooks: account sqldb/accounts sqldb/engine webhook
sweep: catalog
upstream: upstream/netguard
upstream/netguard:
webhook: account api/bulk api/params api/selection api/wire catalog index lease lists/deals money upstream/netguard
testing/adversary:
testing/apitest:
testing/await:
testing/browsertest: testing/await
testing/buckettest: bucket
testing/catalogtest: catalog money
testing/enginetest: testing/await testing/porttest
testing/golden:
testing/historytest: catalog history money
testing/oidctest:
testing/porttest:
testing/quotatest: quota
testing/searchquality: search
testing/sqldbtest: sqldb/engine sqldb/postgres sqldb/sqlite testing/enginetest
testing/storesim: catalog money
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

// TestDashboardTakesTheAPIsAnswers checks that no page reads the index, search or lists itself: the
// API decides what is shown (decision 12).
func TestDashboardTakesTheAPIsAnswers(t *testing.T) {
	for name, imported := range parseImports() {
		if top, _, _ := strings.Cut(name, "/"); top != "dashboard" {
			continue
		}
		for _, other := range strings.Fields(imported) {
			if top, _, _ := strings.Cut(other, "/"); top == "index" || top == "search" || top == "lists" || top == "snapshot" {
				t.Errorf("%s imports %s; add what is missing to the answers for pages, in api/cards or api/overview", name, other)
			}
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

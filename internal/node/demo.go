package node

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/catalog"
	"gamedex/internal/demo"
	"gamedex/internal/lease"
	"gamedex/internal/sqldb/listings"
)

// demoSource marks the sample rates in the database.
const demoSource = "demo"

// fillDemo puts the sample catalog, rates, a user and a key into an empty
// database, if --demo is set, and returns the key's token; "" if it added nothing.
// It stores the rates first and the key last, so that the next start recognizes
// an interrupted one and repeats it.
func (n *node) fillDemo(ctx context.Context) (token string, err error) {
	if wanted, err := n.wantsDemo(ctx); err != nil || !wanted {
		return "", err
	}
	defer func() {
		if err != nil {
			token, err = "", fmt.Errorf("fill demo: %w", err)
		}
	}()
	now := n.Now()
	if err := n.fillDemoRates(ctx, now); err != nil {
		return "", err
	}
	lines := slices.Collect(n.demo.Listings(n.baseURL, catalog.MillisOf(now)))
	for batch := range slices.Chunk(lines, listings.MaxBatch) {
		if _, err := n.DB.Listings.Save(ctx, batch); err != nil {
			return "", err
		}
	}
	past := slices.Collect(n.demo.Past(catalog.MillisOf(now)))
	for batch := range slices.Chunk(past, listings.MaxBatch) {
		if _, err := n.DB.Listings.SaveHistory(ctx, batch); err != nil {
			return "", err
		}
	}
	user, err := n.demoUser(ctx)
	if err != nil {
		return "", err
	}
	_, token, err = CreateKey(ctx, n.DB, account.Draft{Name: "demo", UserID: user}, now)
	return token, err
}

// fillDemoRates stores the sample rates, those of the past first.
func (n *node) fillDemoRates(ctx context.Context, now time.Time) error {
	tables, err := demo.PastRates(catalog.MillisOf(now))
	if err != nil {
		return err
	}
	today, err := demo.Rates(catalog.MillisOf(now))
	if err != nil {
		return err
	}
	for _, table := range tables {
		if err := SaveRates(ctx, n.DB, table, demoSource, time.UnixMilli(table.UpdatedAt())); err != nil {
			return err
		}
	}
	return SaveRates(ctx, n.DB, today, demoSource, now)
}

// moveEvery is how often prices of the demo move.
const moveEvery = time.Minute

// runDemoMoves changes listings of the sample, in the one process that holds the lease. It ends
// when the database has listings that are not of the sample.
func (n *node) runDemoMoves(ctx context.Context) error {
	holder := lease.Holder{Repository: n.DB.Nodes, ID: ProcessID(), TTL: leaseTTL}
	for ctx.Err() == nil {
		_, err := holder.Hold(ctx, "demo", func(ctx context.Context, _ *lease.Lease) error { return n.keepDemoMoving(ctx) })
		if errors.Is(err, demo.ErrOthers) {
			n.Log.Info("prices of the demo do not change: " + demo.ErrOthers.Error())
			return nil
		}
		if err != nil && ctx.Err() == nil {
			n.Log.Warn("prices of the demo did not change; it is tried again in a minute", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(moveEvery):
		}
	}
	return nil
}

// keepDemoMoving makes covers follow the address of the node, and moves prices every minute by its
// clock, until ctx ends or it fails.
func (n *node) keepDemoMoving(ctx context.Context) error {
	covers := &demo.Covers{BaseURL: n.baseURL}
	if err := n.moveDemo(ctx, covers.Add, covers.Move); err != nil {
		return err
	}
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for next := n.Now().Add(moveEvery); ; {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if n.Now().Before(next) || n.DemoStill {
			continue
		}
		next = n.Now().Add(moveEvery)
		prices := n.demo.Mover(catalog.MillisOf(n.Now()))
		if err := n.moveDemo(ctx, prices.Add, prices.Move); err != nil {
			return err
		}
	}
}

// moveDemo passes all stored listings to add, and stores what move returns then. If add refuses a listing,
// nothing changes.
func (n *node) moveDemo(ctx context.Context, add func(*catalog.Listing) error, move func() []catalog.Listing) error {
	if err := n.DB.Listings.Export(ctx, listings.Filter{}, add); err != nil {
		return err
	}
	for batch := range slices.Chunk(move(), listings.MaxBatch) {
		if _, err := n.DB.Listings.Save(ctx, batch); err != nil {
			return err
		}
	}
	return nil
}

// demoEmail is the address of the sample key's owner, an administrator.
const demoEmail = "demo@example.org"

// demoUser creates the sample user with a new random password and returns their
// id. The user exists already if an earlier start was interrupted after this.
func (n *node) demoUser(ctx context.Context) (id string, err error) {
	if n.demoPassword, err = account.NewPassword(rand.Reader); err != nil {
		return "", err
	}
	now := n.Now()
	u, err := CreateUser(ctx, n.DB, demoEmail, n.demoPassword, true, now)
	if !errors.Is(err, account.ErrEmailTaken) {
		return u.ID, err
	}
	if u, _, err = n.DB.Accounts.FindUserByEmail(ctx, demoEmail); err != nil {
		return "", err
	}
	phc, err := account.NewPasswords(1).Hash(ctx, n.demoPassword)
	if err != nil {
		return "", err
	}
	return u.ID, n.DB.Accounts.SetPassword(ctx, u.ID, phc, ByCommand(now))
}

// wantsDemo reports whether --demo is set and the database is empty, or was only
// partly filled by an earlier start.
func (n *node) wantsDemo(ctx context.Context) (bool, error) {
	if !n.Demo {
		return false, nil
	}
	_, generation, err := n.DB.Listings.Newest(ctx)
	if err != nil || generation == 0 {
		return err == nil, err
	}
	rates, found, err := n.DB.Nodes.LoadRates(ctx)
	if err != nil || !found || rates.Source != demoSource {
		return false, err
	}
	keys, err := n.DB.Accounts.ListKeys(ctx, "", 1)
	return len(keys) == 0, err
}

// printDemoHint waits until the catalog is served and prints what to try.
func (n *node) printDemoHint(ctx context.Context, token string) {
	for n.live.View() == nil {
		select {
		case <-ctx.Done():
			return
		case <-time.After(20 * time.Millisecond):
		}
	}
	if token == "" {
		fmt.Fprint(n.Stdout, n.Hint("\nThe database is not empty, so --demo added nothing. Keys and passwords of earlier starts still work.\n\nTo create another key:\n\n  gamedex key create --name mine\n\nTo set a new password for the user of the demo:\n\n  gamedex user reset "+demoEmail+"\n"))
		return
	}
	var ids []string // of one game on both platforms
	for _, p := range catalog.Platforms() {
		hits, _, _ := n.live.View().Find("witcher", p, 1, 0, false, nil)
		for _, hit := range hits {
			ids = append(ids, hit.Card.ID())
		}
	}
	moving := ", and a few change every minute"
	if n.DemoStill {
		moving = ""
	}
	fmt.Fprintf(n.Stdout, `
Sample data: the prices are invented%[6]s. Your key, shown this once:

  %[2]s

Look at it in a browser: %[1]s/signin

  email     %[4]s
  password  %[5]s

Or try:

  curl -H 'Authorization: Bearer %[2]s' '%[1]s/api/v1/catalog/search?q=witcher&lang=en'
  curl -H 'Authorization: Bearer %[2]s' '%[1]s/api/v1/catalog/prices?ids=%[3]s&regions=UA,TR,PL,IN&lang=en'
  curl -H 'Authorization: Bearer %[2]s' '%[1]s/api/v1/account/usage'
`, n.baseURL, token, strings.Join(ids, ","), demoEmail, n.demoPassword, moving)
}

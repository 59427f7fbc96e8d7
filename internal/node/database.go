package node

import (
	"context"
	"crypto/rand"
	"fmt"
	"os/user"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/builder"
	"gamedex/internal/catalog"
	"gamedex/internal/money"
	"gamedex/internal/rates"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/listings"
	"gamedex/internal/sqldb/nodes"
)

// Database is the database as a builder, the rates loop, the API and imports of history use it.
type Database struct {
	*sqldb.DB
	*listingTables
	*nodeTables
	now func() time.Time
}

// Under these names a Database has the methods of both.
type (
	listingTables = listings.Repository
	nodeTables    = nodes.Repository
)

// NewDatabase returns the database with the clock by which it decides.
func NewDatabase(db *sqldb.DB, now func() time.Time) Database {
	return Database{db, db.Listings, db.Nodes, now}
}

// Read implements builder.Listings.
func (d Database) Read(ctx context.Context, fn func(builder.Reading) error) error {
	return d.DB.Listings.Read(ctx, func(r *listings.Reading) error { return fn(r) })
}

// Loading implements builder.Database.
func (d Database) Loading(ctx context.Context) (bool, error) {
	until, err := d.DB.Nodes.LoadingUntil(ctx)
	return until > d.now().UnixMilli(), err
}

// Rates implements builder.Database.
func (d Database) Rates(ctx context.Context) (money.Rates, error) {
	stored, _, err := d.LoadRates(ctx)
	return stored.Rates, err
}

// LoadRates implements rates.Repository.
func (d Database) LoadRates(ctx context.Context) (rates.Stored, bool, error) {
	stored, found, err := d.DB.Nodes.LoadRates(ctx)
	if err != nil || !found {
		return rates.Stored{}, false, err
	}
	table, err := money.ParseRates(stored.Body)
	if err != nil {
		return rates.Stored{}, false, fmt.Errorf("stored rates: %w; replace them with gamedex rates import FILE", err)
	}
	return rates.Stored{Rates: table, Imported: stored.Imported, Source: stored.Source}, true, nil
}

// SaveRates implements rates.Repository.
func (d Database) SaveRates(ctx context.Context, r rates.Stored, overImported bool) (bool, error) {
	return d.DB.Nodes.SaveRates(ctx, nodes.Rates{
		Body: r.Rates.AppendJSON(nil), UpdatedAt: r.Rates.UpdatedAt(), Imported: r.Imported, Source: r.Source,
	}, overImported, catalog.MillisOf(d.now()))
}

// SaveRates stores a table that an operator chose. It stays in force until the next
// import or refresh.
func SaveRates(ctx context.Context, db *sqldb.DB, table money.Rates, source string, now time.Time) error {
	at := func() time.Time { return now }
	_, err := NewDatabase(db, at).SaveRates(ctx, rates.Stored{Rates: table, Imported: true, Source: source}, true)
	return err
}

// CreateKey issues a key and stores it with its audit entry. It returns the key
// and its token, which is stored nowhere.
func CreateKey(ctx context.Context, db *sqldb.DB, draft account.Draft, now time.Time) (account.Key, string, error) {
	key, token, err := draft.Issue(now.UnixMilli(), rand.Reader)
	if err == nil {
		err = db.Accounts.CreateKey(ctx, key, ByCommand(now))
	}
	return key, token, err
}

// CreateUser stores a new user. The caller has checked the password.
func CreateUser(ctx context.Context, db *sqldb.DB, email, password string, admin bool, now time.Time) (account.User, error) {
	phc, err := account.NewPasswords(1).Hash(ctx, password)
	if err != nil {
		return account.User{}, err
	}
	id, err := account.NewUserID(now.UnixMilli(), rand.Reader)
	if err != nil {
		return account.User{}, err
	}
	u := account.User{ID: id, Email: email, PasswordHash: phc, Admin: admin, CreatedAt: now.UnixMilli()}
	return u, db.Accounts.CreateUser(ctx, u, ByCommand(now))
}

// ByCommand returns the actor of audit entries for what a command does: the
// system user who runs it.
func ByCommand(now time.Time) account.By {
	actor := "cli:unknown"
	if u, err := user.Current(); err == nil {
		actor = "cli:" + u.Username
	}
	return account.By{At: now.UnixMilli(), Actor: actor}
}

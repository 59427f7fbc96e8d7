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
	"gamedex/internal/history"
	"gamedex/internal/money"
	"gamedex/internal/rates"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/listings"
	"gamedex/internal/sqldb/nodes"
)

// Database is the database as a builder, the rates loop and the API use it.
type Database struct {
	*sqldb.DB
	Now func() time.Time
}

// Read implements builder.Listings.
func (d Database) Read(ctx context.Context, fn func(builder.Reading) error) error {
	return d.DB.Listings.Read(ctx, func(r *listings.Reading) error { return fn(r) })
}

// Newest implements builder.Database.
func (d Database) Newest(ctx context.Context) (epoch string, generation int64, err error) {
	return d.DB.Listings.Newest(ctx)
}

// Regions implements builder.Database.
func (d Database) Regions(ctx context.Context) ([]catalog.Region, error) {
	return d.DB.Listings.Regions(ctx)
}

// Loading implements builder.Database.
func (d Database) Loading(ctx context.Context) (bool, error) {
	until, err := d.DB.Nodes.LoadingUntil(ctx)
	return until > d.Now().UnixMilli(), err
}

// Rates implements builder.Database.
func (d Database) Rates(ctx context.Context) (money.Rates, error) {
	stored, found, err := d.DB.Nodes.LoadRates(ctx)
	if err != nil || !found {
		return money.Rates{}, err
	}
	return parseStoredRates(stored)
}

func parseStoredRates(stored nodes.Rates) (money.Rates, error) {
	table, err := money.ParseRates(stored.Body)
	if err != nil {
		return money.Rates{}, fmt.Errorf("stored rates: %w; replace them with gamedex rates import FILE", err)
	}
	return table, nil
}

// LoadRates implements rates.Repository.
func (d Database) LoadRates(ctx context.Context) (rates.Stored, bool, error) {
	stored, found, err := d.DB.Nodes.LoadRates(ctx)
	if err != nil || !found {
		return rates.Stored{}, false, err
	}
	table, err := parseStoredRates(stored)
	return rates.Stored{Rates: table, Imported: stored.Imported, Source: stored.Source}, err == nil, err
}

// SaveRates implements rates.Repository.
func (d Database) SaveRates(ctx context.Context, r rates.Stored, overImported bool) (bool, error) {
	return d.DB.Nodes.SaveRates(ctx, nodes.Rates{
		Body: r.Rates.AppendJSON(nil), UpdatedAt: r.Rates.UpdatedAt(), Imported: r.Imported, Source: r.Source,
	}, overImported, catalog.MillisOf(d.Now()))
}

// SaveRates stores a table that an operator chose. It stays in force until the next
// import or refresh.
func SaveRates(ctx context.Context, db *sqldb.DB, table money.Rates, source string, now time.Time) error {
	_, err := db.Nodes.SaveRates(ctx, nodes.Rates{
		Body: table.AppendJSON(nil), UpdatedAt: table.UpdatedAt(), Imported: true, Source: source,
	}, true, catalog.MillisOf(now))
	return err
}

// Histories implements pricehistory.Repository.
func (d Database) Histories(ctx context.Context, keys []catalog.Key, since, until catalog.Millis, fn func(history.Part) error) error {
	return d.DB.Listings.Histories(ctx, keys, since, until, fn)
}

// EachDayRates implements pricehistory.Repository.
func (d Database) EachDayRates(ctx context.Context, first, last int64, fn func(history.DayRates) error) error {
	return d.DB.Nodes.EachDayRates(ctx, first, last, fn)
}

// CreateKey issues a key and stores it with its audit entry. It returns the key
// and its token, which is stored nowhere.
func CreateKey(ctx context.Context, db *sqldb.DB, draft account.Draft, now time.Time) (account.Key, string, error) {
	key, token, err := draft.Issue(now.UnixMilli(), rand.Reader)
	if err != nil {
		return account.Key{}, "", err
	}
	if err := db.Accounts.CreateKey(ctx, key, ByCommand(now)); err != nil {
		return account.Key{}, "", err
	}
	return key, token, nil
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

package node

import (
	"io"
	"log/slog"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/dashboard/openid"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/database"
	"gamedex/internal/quota"
	"gamedex/internal/serve"
)

// Roles are what a process does: API answers requests, Build makes snapshots,
// Collect reads the stores and the exchange rates.
type Roles struct{ API, Build, Collect bool }

// Config is what a node needs. All of it was checked.
type Config struct {
	DB            *database.DB
	BucketDir     string // folder of the snapshots
	Overrides     OverridesFile
	Version       string
	Roles         Roles
	ActiveRegions []catalog.Region
	Demo          bool // fill an empty database with the sample catalog

	Addr, OpsAddr       string // port 0 takes a free one
	PublicURL           string // empty: http:// and the address of the listener
	CORSOrigin          string
	ConsoleName, PCName string
	Limits              quota.Limits // of keys without limits of their own

	Stores *Stores      // nil: no store is read
	Rates  *RateSources // nil: exchange rates are not fetched

	SignUp         web.SignUp
	Proxies        serve.Proxies
	ImageHosts     []string
	AuditRetention int // days; zero: forever
	OIDC           *openid.Settings

	Stdout io.Writer // where users read what to do next
	Now    func() time.Time
	Log    *slog.Logger
}

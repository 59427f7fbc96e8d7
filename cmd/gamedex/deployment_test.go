package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"gamedex/internal/testing/enginetest"
)

// deployment is PostgreSQL, Redis and an S3 service that belong to one test, which may
// break them, and the processes that use them.
type deployment struct {
	t        *testing.T
	postgres *enginetest.Postgres
	redis    *enginetest.Redis
	s3       *enginetest.S3

	dir      string // of commands, which reach the engines directly
	database string
	dsn      string // of all processes, in place of one with a network of their own
	bucket   string
}

// newDeployment starts the engines. It skips the test but in the full world: waiting for
// engines and leases takes seconds.
func newDeployment(t *testing.T) *deployment {
	t.Helper()
	if !fullWorld() {
		t.Skip("in the full world only: it waits for engines and leases")
	}
	enginetest.Need(t, "postgres", "versitygw")
	enginetest.NeedRedis(t)
	t.Parallel()
	d := &deployment{t: t, postgres: enginetest.NewPostgres(t), redis: enginetest.NewRedis(t), s3: enginetest.NewS3(t)}
	d.database = d.postgres.NewDatabase(t, "")
	d.bucket = d.s3.NewBucket(t)
	d.dir = d.folder(d.postgres.OwnDSN(d.database) + "?" + patientCommands)
	t.Cleanup(func() { // a test that failed in the middle
		for _, engine := range []interface{ Thaw() error }{d.postgres, d.redis, d.s3} {
			if err := engine.Thaw(); err != nil {
				t.Error(err)
			}
		}
	})
	return d
}

// withStandby starts a standby of the PostgreSQL server. All processes look for the one
// of both that is written to.
func (d *deployment) withStandby() (standby *enginetest.Postgres) {
	d.t.Helper()
	standby = d.postgres.NewStandby(d.t)
	d.dsn = enginetest.OneOf(d.database, d.postgres, standby)
	d.dir = d.folder(d.dsn + "&" + patientCommands)
	return standby
}

// folder makes a data folder whose processes use a database.
func (d *deployment) folder(dsn string) string {
	d.t.Helper()
	dir := d.t.TempDir()
	placedFolders.Lock()
	defer placedFolders.Unlock()
	placedFolders.engines[dir] = engines{dsn: dsn, credentials: d.s3.Env()}
	return dir
}

// at returns the flag with the bucket, by way of an address.
func (d *deployment) at(addr string) []string {
	return []string{"--bucket", "s3://" + d.bucket + "/gamedex?endpoint=http://" + addr}
}

// fill imports the first version of a stock, and rates.
func (d *deployment) fill(k stock) {
	d.t.Helper()
	must(d.t, d.dir, k.feed(0), "import", "-")
	must(d.t, d.dir, "", "rates", "import", "--partial", "testdata/rates.json")
}

// check verifies the database and the snapshots.
func (d *deployment) check() {
	d.t.Helper()
	out := must(d.t, d.dir, "", append([]string{"check"}, d.at(strings.TrimPrefix(d.s3.URL, "http://"))...)...)
	if strings.Contains(out, "damaged") || !strings.Contains(out, ": good") {
		d.t.Errorf("check: %s", out)
	}
}

// member is a process of a deployment. A proxy stands between it and each engine.
type member struct {
	*server
	d                   *deployment
	dir                 string
	args                []string
	postgres, redis, s3 *enginetest.Proxy
}

// start starts a process.
func (d *deployment) start(roles string, args ...string) *member {
	d.t.Helper()
	m := &member{
		d: d, postgres: enginetest.NewProxy(d.t, fmt.Sprint("127.0.0.1:", d.postgres.Port)),
		redis: enginetest.NewProxy(d.t, d.redis.Addr()), s3: enginetest.NewProxy(d.t, strings.TrimPrefix(d.s3.URL, "http://")),
	}
	dsn := d.dsn
	if dsn == "" {
		dsn = fmt.Sprintf("postgres://gamedex@%s/%s", m.postgres.Addr, d.database)
	}
	m.dir = d.folder(dsn)
	m.args = append(append([]string{"--roles", roles, "--counters", "redis://" + m.redis.Addr}, d.at(m.s3.Addr)...), args...)
	m.again()
	return m
}

// again starts the process, which has ended or was never started.
func (m *member) again() {
	m.d.t.Helper()
	m.server = start(m.d.t, m.dir, m.args...)
}

// usageOf returns what a key has used, as a node knows it. The headers of an answer that
// the node has given without Redis have less left.
func usageOf(t *testing.T, s *server, token string) usageAnswer {
	t.Helper()
	return decoded[usageAnswer](t, s.waitFor(token, "/api/v1/account/usage", func(status int, _ string) bool { return status != http.StatusServiceUnavailable }))
}

// outage is a way to lose an engine and to bring it back.
type outage struct {
	name       string
	begin, end func()
}

// outages returns how a real server can be lost.
func outages(t *testing.T, engine interface {
	Kill() error
	Freeze() error
	Thaw() error
	Restart(testing.TB)
}) []outage {
	mustDo := func(do func() error) func() {
		return func() {
			t.Helper()
			if err := do(); err != nil {
				t.Fatal(err)
			}
		}
	}
	return []outage{
		{"killed", mustDo(func() error { return engine.Kill() }), func() { engine.Restart(t) }},
		{"frozen", mustDo(func() error { return engine.Freeze() }), mustDo(func() error { return engine.Thaw() })},
	}
}

// badNetworks returns the faults of the network between a process and a server. The first
// two lose the server.
func badNetworks(t *testing.T, network *enginetest.Proxy) []outage {
	fault := func(name string, faults ...string) outage {
		return outage{name, func() { network.Break(t, faults...) }, network.Heal}
	}
	return []outage{
		fault("cut off", enginetest.CutRequests, enginetest.CutAnswers),
		fault("in a silent network", enginetest.LostRequests, enginetest.LostAnswers),
		fault("in a slow network", enginetest.Slow),
		fault("in a network that resets connections", enginetest.Reset),
	}
}

// cutOff returns how the network between a process and a server can be lost.
func cutOff(t *testing.T, network *enginetest.Proxy) []outage { return badNetworks(t, network)[:2] }

package adversary_test

import (
	"sync"

	"gamedex/internal/account"
	"gamedex/internal/quota"
	"gamedex/internal/sqldb"
)

const (
	keyLimit    = "a user has 50 keys at most"
	newKeyLimit = "a user makes 60 keys a day at most"
	numberOnce  = "a number is won once"
	seqRises    = "the number never falls"
	usageExact  = "usage adds up"
	quotaRises  = "the used quota never falls"
)

// keysPerWriter is how many keys a writer makes in a round.
const keysPerWriter = 2

// manyKeys lets three writers make keys of two users: one has the most keys but one, the
// other has made the most new keys but one.
func manyKeys(r *round) {
	const full, eager = "usr_full", "usr_eager"
	day := int64(noon) + int64(r.number)*2*account.NewKeysWindow
	operator, self := account.By{At: day, Actor: "cli:test"}, account.By{At: day, Actor: eager}
	_, err := r.dbs[0].Accounts.FindUser(r.ctx, eager)
	if !r.ok(err, account.ErrNotFound) {
		r.prepareKeys(full, eager)
	}
	_, err = r.dbs[0].Exec(r.ctx, "execute", "UPDATE api_key SET created_at = $1 WHERE user_id = $2", day-1, eager)
	r.ok(err)
	var mu sync.Mutex
	made := map[string]int{}
	writer := func(w int) func(*sqldb.DB) {
		return func(db *sqldb.DB) {
			for i := range keysPerWriter {
				for owner, by := range map[string]account.By{full: operator, eager: self} {
					k := r.key(w, i)
					k.ID, k.UserID, k.CreatedAt = k.ID+owner, owner, day
					copy(k.Hash[:], k.ID)
					if r.ok(db.Accounts.CreateKey(r.ctx, k, by), account.ErrTooManyKeys, account.ErrTooManyNewKeys) {
						mu.Lock()
						made[owner]++
						mu.Unlock()
					}
				}
			}
		}
	}
	r.race(writer(0), writer(1), writer(2))
	if made[full] != 1 {
		r.fault(keyLimit, "%d keys were made where 1 was allowed", made[full])
	}
	if made[eager] != 1 {
		r.fault(newKeyLimit, "%d keys were made where 1 was allowed", made[eager])
	}
	_, err = r.dbs[0].Exec(r.ctx, "execute", "DELETE FROM api_key WHERE created_at = $1", day)
	r.ok(err)
}

// prepareKeys makes two users with their keys.
func (r *round) prepareKeys(full, eager string) {
	r.noPeople()
	by := account.By{At: int64(noon) - 1, Actor: "cli:test"}
	for _, id := range []string{full, eager} {
		r.ok(r.dbs[0].Accounts.CreateUser(r.ctx, account.User{ID: id, Email: id}, by))
	}
	for i := range account.MaxNewKeys - 1 {
		for _, owner := range []string{full, eager} {
			if owner == full && i >= account.MaxKeys-1 {
				continue
			}
			k := r.key(9, i)
			k.ID, k.UserID, k.CreatedAt = k.ID+owner, owner, by.At
			copy(k.Hash[:], k.ID)
			r.ok(r.dbs[0].Accounts.CreateKey(r.ctx, k, by))
			if owner == eager {
				_, err := r.dbs[0].Accounts.RevokeKey(r.ctx, k.ID, by)
				r.ok(err)
			}
		}
	}
}

// numbers lets four builders publish.
func numbers(r *round) {
	before, err := r.dbs[0].Nodes.Seq(r.ctx)
	r.ok(err)
	var mu sync.Mutex
	won := map[int64]int{}
	highest := before
	builder := func(raise int64) func(*sqldb.DB) {
		return func(db *sqldb.DB) {
			last := before
			for range 4 {
				seq, err := db.Nodes.Seq(r.ctx)
				if r.ok(err); raise > 0 {
					seq, err = db.Nodes.Raise(r.ctx, before+raise)
					r.ok(err)
				}
				if seq < last {
					r.fault(seqRises, "it was %d and is %d", last, seq)
				}
				last = seq
				if ok, err := db.Nodes.Advance(r.ctx, seq); r.ok(err) && ok {
					mu.Lock()
					won[seq]++
					highest = max(highest, seq+1)
					mu.Unlock()
				}
			}
		}
	}
	r.race(builder(0), builder(0), builder(0), builder(int64(1+r.pick(6))))
	for seq, n := range won {
		if n > 1 {
			r.fault(numberOnce, "%d builders won %d", n, seq+1)
		}
	}
	if seq, err := r.dbs[0].Nodes.Seq(r.ctx); r.ok(err) && seq < highest {
		r.fault(seqRises, "it is %d after %d was won", seq, highest)
	}
}

// batches lets two runs flush their batches. Each batch is sent twice at the same time, as
// after a flush whose outcome nobody knows. What keys have used is saved with them.
func batches(r *round) {
	const perRun = 3
	hour, minute := int64(noon)/3_600_000, int64(noon)/60_000
	key := func(i int) string { return r.name("key", i) }
	send := func(run int) func(*sqldb.DB) {
		return func(db *sqldb.DB) {
			for number := int64(1); number <= perRun; number++ {
				rows := []quota.UsageRow{
					{KeyID: key(0), Hour: hour, Route: "/r", Outcome: quota.OutcomeOK, Count: number},
					{KeyID: key(run + 1), Hour: hour, Route: "/r", Outcome: quota.OutcomeOK, Count: 1},
				}
				r.ok(db.Accounts.SaveUsage(r.ctx, quota.UsageBatch{Run: r.name("run", run), Number: number, At: int64(noon), Rows: rows}))
				r.ok(db.Accounts.SaveQuota(r.ctx, []quota.State{{ID: key(0), Spent: quota.Spent{Minute: minute, MinuteUsed: int(number), DayUsed: int(10 * number)}}}))
			}
		}
	}
	r.race(send(0), send(0), send(1), send(1))
	for i, want := range []int64{2 * (1 + 2 + perRun), perRun, perRun} {
		hours, stored, err := r.dbs[0].Accounts.SumUsage(r.ctx, key(i), hour, r.name("run", i%2))
		if r.ok(err) && (len(hours) != 1 || hours[0].Count != want || stored != perRun) {
			r.fault(usageExact, "%s: %+v up to batch %d, want %d", key(i), hours, stored, want)
		}
	}
	var used, day int
	_, err := r.dbs[0].FindRow(r.ctx, "read quota", "SELECT minute_used, day_used FROM quota_state WHERE key_id = $1", []any{key(0)}, []any{&used, &day})
	if r.ok(err) && (used != perRun || day != 10*perRun) {
		r.fault(quotaRises, "%d a minute, %d a day", used, day)
	}
}

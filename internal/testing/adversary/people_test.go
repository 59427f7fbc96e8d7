package adversary_test

import (
	"strings"

	"gamedex/internal/account"
	"gamedex/internal/sqldb"
)

const (
	adminLeft           = "an administrator is left"
	keysStop            = "the keys of a disabled user do not work"
	keysFollowed        = "a follower misses no change of a key"
	linkOnce            = "a link is used once"
	setupFirst          = "the set-up makes the first user"
	linksHaveUsers      = "the user of a link exists"
	identityOnce        = "an identity has one owner"
	identitiesHaveUsers = "the user of an identity exists"
	addressOnce         = "an email address has one user"
	endedStays          = "a session that ended stays ended"
	epochsRise          = "each change of a user counts"
	addressesErased     = "the addresses of a deleted user are erased"
)

// noPeople deletes all users and what belongs to them.
func (r *round) noPeople() {
	r.execute("DELETE FROM api_key", "DELETE FROM person", "DELETE FROM identity", "DELETE FROM link", "DELETE FROM session", "DELETE FROM audit")
}

func (r *round) user(i int) string { return r.name("usr", i) }

func (r *round) createUser(db *sqldb.DB, i int, email string, admin bool) bool {
	u := account.User{ID: r.user(i), Email: email, Admin: admin}
	return r.ok(db.Accounts.CreateUser(r.ctx, u, account.By{At: int64(noon)}), account.ErrEmailTaken)
}

// key returns a key of a user.
func (r *round) key(user, i int) account.Key {
	k := account.Key{ID: r.name("key", 100*user+i), Name: "k", UserID: r.user(user), CreatedAt: int64(noon), Permissions: 1}
	copy(k.Hash[:], k.ID)
	return k
}

// administrators lets three writers disable, enable, delete and degrade the same three
// administrators, and make, suspend and resume their keys, while another process
// follows the keys.
func administrators(r *round) {
	r.noPeople()
	by := account.By{At: int64(noon), Actor: "cli:test"}
	for i := range 3 {
		r.createUser(r.dbs[0], i, r.name("admin", i), true)
		r.ok(r.dbs[0].Accounts.CreateKey(r.ctx, r.key(i, 0), by))
	}
	known, since := map[string]account.Key{}, account.Mark{}
	follow := func(db *sqldb.DB) {
		keys, upTo, err := db.Accounts.KeysSince(r.ctx, since)
		r.ok(err)
		for _, k := range keys {
			known[k.ID] = k
		}
		since = upTo
	}
	follow(r.dbs[3])
	fresh := 0
	move := func() func(*sqldb.DB) error {
		i := r.pick(3)
		user, old := r.user(i), r.key(i, 0).ID
		switch r.pick(10) {
		case 0, 1:
			return func(db *sqldb.DB) error { return db.Accounts.SetAdmin(r.ctx, user, false, by) }
		case 2:
			return func(db *sqldb.DB) error { return db.Accounts.SetAdmin(r.ctx, user, true, by) }
		case 3, 4:
			return func(db *sqldb.DB) error { return db.Accounts.DisableUser(r.ctx, user, by) }
		case 5:
			return func(db *sqldb.DB) error { return db.Accounts.EnableUser(r.ctx, user, by) }
		case 6:
			return func(db *sqldb.DB) error { return db.Accounts.DeleteUser(r.ctx, user, by) }
		case 7:
			return func(db *sqldb.DB) error { _, err := db.Accounts.SuspendKey(r.ctx, old, "spam", by); return err }
		case 8:
			return func(db *sqldb.DB) error { _, err := db.Accounts.ResumeKey(r.ctx, old, by); return err }
		}
		fresh++
		k := r.key(i, fresh)
		return func(db *sqldb.DB) error { return db.Accounts.CreateKey(r.ctx, k, by) }
	}
	writer := func() func(*sqldb.DB) {
		moves := []func(*sqldb.DB) error{move(), move(), move()}
		return func(db *sqldb.DB) {
			for _, m := range moves {
				err := m(db)
				if err != nil && strings.Contains(err.Error(), "revoked") {
					continue // the key of a deleted user
				}
				r.ok(err, account.ErrLastAdmin, account.ErrNotFound)
			}
		}
	}
	r.raceFollowed(follow, writer(), writer(), writer())
	keys, err := r.dbs[0].Accounts.ListKeys(r.ctx, "", 100_000)
	r.ok(err)
	for _, k := range keys {
		if known[k.ID] != k {
			r.fault(keysFollowed, "%+v, the follower has %+v", k, known[k.ID])
		}
	}
	admins := 0
	_, err = r.dbs[0].FindRow(r.ctx, "count", "SELECT count(*) FROM person WHERE admin = 1 AND disabled_at = 0", nil, []any{&admins})
	if r.ok(err) && admins == 0 {
		r.fault(adminLeft, "there is none")
	}
	r.wantNone(keysStop, `SELECT count(*) FROM api_key WHERE revoked_at = 0 AND suspended_at = 0
		AND user_id NOT IN (SELECT id FROM person WHERE disabled_at = 0)`)
}

// links lets several writers use the same link, or make what it depends on go away.
func links(r *round) {
	r.noPeople()
	by := account.By{At: int64(noon), Actor: "cli:test"}
	l := account.Link{Hash: [32]byte{1}, CreatedAt: int64(noon), ExpiresAt: int64(noon) + 1}
	email := r.name("mail", 0)
	switch r.pick(3) {
	case 0:
		l.Purpose = account.LinkSetup
	case 1:
		l.Purpose, l.Email = account.LinkInvite, email
	case 2:
		r.createUser(r.dbs[0], 9, email, false)
		l.Purpose, l.UserID = account.LinkReset, r.user(9)
	}
	r.ok(r.dbs[0].Accounts.SaveLink(r.ctx, l, by))
	accept := func(i int) func(*sqldb.DB) {
		return func(db *sqldb.DB) {
			var err error
			if l.Purpose == account.LinkReset {
				_, err = db.Accounts.AcceptReset(r.ctx, l.Hash, r.name("phc", i), by)
			} else {
				err = db.Accounts.AcceptLink(r.ctx, l.Hash, account.User{ID: r.user(i), Email: r.name("mail", i)}, by)
			}
			if r.ok(err, account.ErrLinkGone, account.ErrEmailTaken, account.ErrNotFound) {
				r.seen(r.user(i))
			}
		}
	}
	other := func(db *sqldb.DB) { r.createUser(db, 2, email, false) }
	if l.Purpose == account.LinkReset {
		other = func(db *sqldb.DB) {
			r.ok(db.Accounts.DeleteUser(r.ctx, l.UserID, by), account.ErrNotFound)
		}
	}
	r.race(accept(0), accept(1), other, func(db *sqldb.DB) {
		if l.Purpose == account.LinkReset {
			next := l
			next.Hash = [32]byte{2}
			r.ok(db.Accounts.SaveLink(r.ctx, next, by), account.ErrNotFound)
		}
	})
	if len(r.shown) > 1 {
		r.fault(linkOnce, "%q used it", r.shown)
	}
	if l.Purpose == account.LinkSetup && len(r.shown) == 1 {
		entries, err := r.dbs[0].Accounts.SearchAudit(r.ctx, account.AuditQuery{Action: account.UserCreate, Limit: 9})
		if r.ok(err); len(entries) == 0 || entries[len(entries)-1].Object != r.shown[0] {
			r.fault(setupFirst, "%s used the link, users were made in this order, newest first: %+v", r.shown[0], entries)
		}
	}
	r.wantNone(linksHaveUsers, "SELECT count(*) FROM link WHERE purpose = 'reset' AND target NOT IN (SELECT id FROM person)")
	r.wantNone(addressOnce, "SELECT count(*) FROM (SELECT email FROM person GROUP BY email HAVING count(*) > 1) AS more")
}

// identities lets two users claim the same identity while one of them is deleted.
func identities(r *round) {
	r.noPeople()
	by := account.By{At: int64(noon), Actor: "cli:test"}
	for i := range 2 {
		r.createUser(r.dbs[0], i, r.name("mail", i), false)
	}
	add := func(i int) func(*sqldb.DB) {
		return func(db *sqldb.DB) {
			err := db.Accounts.AddIdentity(r.ctx, r.user(i), "https://id.example", "ann", by)
			if err != nil && strings.Contains(err.Error(), "another user") {
				return
			}
			if r.ok(err, account.ErrNotFound) {
				r.seen(r.user(i))
			}
		}
	}
	r.race(add(0), add(1), func(db *sqldb.DB) {
		r.ok(db.Accounts.DeleteUser(r.ctx, r.user(0), by))
	}, func(db *sqldb.DB) {
		r.createUser(db, 2, r.name("mail", 1), false)
	})
	r.wantNone(identitiesHaveUsers, "SELECT count(*) FROM identity WHERE user_id NOT IN (SELECT id FROM person)")
	owner, found, err := r.dbs[0].Accounts.FindUserByIdentity(r.ctx, "https://id.example", "ann")
	if r.ok(err); len(r.shown) == 1 && r.shown[0] == r.user(1) && (!found || owner.ID != r.user(1)) {
		r.fault(identityOnce, "%s has it, want %s", owner.ID, r.user(1))
	}
}

// sessions renews a session while it is deleted or ended with all others of its user.
func sessions(r *round) {
	r.noPeople()
	r.createUser(r.dbs[0], 0, r.name("mail", 0), false)
	by := account.By{At: int64(noon), Actor: r.user(0)}
	s := account.Session{ID: r.name("session", 0), UserID: r.user(0), Body: []byte("b"), ExpiresAt: int64(noon) + 1000}
	r.ok(r.dbs[0].Accounts.SaveSession(r.ctx, s))
	renew := func(db *sqldb.DB) {
		for range 3 {
			_, err := db.Accounts.RenewSession(r.ctx, s)
			r.ok(err)
		}
	}
	r.race(renew, func(db *sqldb.DB) {
		r.ok(db.Accounts.EndSessions(r.ctx, s.UserID, by))
	}, func(db *sqldb.DB) {
		r.ok(db.Accounts.SetPassword(r.ctx, s.UserID, "phc", by))
	}, func(db *sqldb.DB) {
		r.ok(db.Accounts.DeleteSession(r.ctx, s.ID))
	})
	if alive, err := r.dbs[0].Accounts.RenewSession(r.ctx, s); alive || !r.ok(err) {
		r.fault(endedStays, "it was renewed")
	}
	if u, err := r.dbs[0].Accounts.FindUser(r.ctx, s.UserID); r.ok(err) && u.Epoch != 2 {
		r.fault(epochsRise, "the epoch is %d after two changes", u.Epoch)
	}
}

// addresses deletes a user while the addresses in the audit log are shortened.
func addresses(r *round) {
	r.noPeople()
	r.createUser(r.dbs[0], 0, r.name("mail", 0), false)
	by := account.By{At: int64(noon), Actor: r.user(0), From: "192.0.2.7"}
	for range 3 {
		r.ok(r.dbs[0].Accounts.NoteSignIn(r.ctx, r.user(0), by))
	}
	r.race(func(db *sqldb.DB) {
		r.ok(db.Accounts.ShortenAddresses(r.ctx, int64(noon)+1000))
	}, func(db *sqldb.DB) {
		r.ok(db.Accounts.DeleteUser(r.ctx, r.user(0), account.By{At: int64(noon) + 1, Actor: "cli:test"}))
	}, func(db *sqldb.DB) {
		r.ok(db.Accounts.NoteSignIn(r.ctx, r.user(0), by), account.ErrNotFound)
	})
	r.wantNone(addressesErased, "SELECT count(*) FROM audit WHERE origin <> ''")
}

package sqldb

import (
	"context"
	"database/sql"
	"fmt"

	"gamedex/internal/catalog"
)

// maxFaults is how many faults Check names before it stops.
const maxFaults = 20

// Check reads the whole database and returns what is wrong with it, one
// sentence each, at most 20; none if all is well. It checks the engine's own
// structure, that every listing's facts and prose exist and their bytes are
// those that were stored, and that keys and identities belong to users. The error says that it could not check.
func (db *DB) Check(ctx context.Context) ([]string, error) {
	var c checking
	err := db.Read(ctx, func(r *Reading) error {
		c.r = r
		for _, part := range []func() error{c.structure, c.references, c.facts, c.prose, c.owners} {
			if err := part(); err != nil || len(c.faults) >= maxFaults {
				return err
			}
		}
		return nil
	})
	switch {
	case isDamage(err):
		c.fault("the file is damaged: %v", err)
	case err != nil:
		return c.faults, fmt.Errorf("check database: %w", err)
	}
	return c.faults, nil
}

type checking struct {
	r      *Reading
	faults []string
}

func (c *checking) fault(format string, args ...any) {
	if len(c.faults) < maxFaults {
		c.faults = append(c.faults, fmt.Sprintf(format, args...))
	}
}

// structure asks the engine: pages, indexes and rows agree.
func (c *checking) structure() error {
	return c.r.query(fmt.Sprintf("PRAGMA integrity_check(%d)", maxFaults), nil, func(rows *sql.Rows) error {
		var verdict string
		err := rows.Scan(&verdict)
		if verdict != "ok" {
			c.fault("the file is damaged: %s", verdict)
		}
		return err
	})
}

// references: a listing names facts, and prose or none.
func (c *checking) references() error {
	const text = `SELECT l.platform, l.region, l.product FROM listing l
		LEFT JOIN facts f ON f.id = l.facts_id LEFT JOIN prose p ON p.id = l.prose_id
		WHERE f.id IS NULL OR (l.prose_id <> 0 AND p.id IS NULL) LIMIT 20`
	return c.r.query(text, nil, func(rows *sql.Rows) error {
		var p catalog.Platform
		var region, product string
		err := rows.Scan(&p, &region, &product)
		c.fault("listing %s %s %s names facts or prose that do not exist", p, region, product)
		return err
	})
}

// owners: whom a key or an identity belongs to exists.
func (c *checking) owners() error {
	const text = `SELECT 'key ' || id, user_id FROM api_key WHERE user_id <> '' AND user_id NOT IN (SELECT id FROM person)
		UNION ALL SELECT 'an identity of ' || issuer, user_id FROM identity WHERE user_id NOT IN (SELECT id FROM person) LIMIT 20`
	return c.r.query(text, nil, func(rows *sql.Rows) error {
		var what, owner string
		err := rows.Scan(&what, &owner)
		c.fault("%s belongs to user %s, who does not exist", what, owner)
		return err
	})
}

func (c *checking) facts() error {
	return c.contents("SELECT id, hash, body FROM facts", "facts", func(body []byte) error {
		_, err := catalog.ParseFacts(body)
		return err
	})
}

func (c *checking) prose() error {
	return c.contents("SELECT id, hash, body FROM prose", "prose", func(body []byte) error {
		_, err := catalog.ParseProse(body)
		return err
	})
}

func (c *checking) contents(text, name string, parse func([]byte) error) error {
	return c.r.query(text, nil, func(rows *sql.Rows) error {
		var id int64
		var stored, body sql.RawBytes
		if err := rows.Scan(&id, &stored, &body); err != nil {
			return err
		}
		if h := hashOf(body); string(stored) != string(h[:]) {
			c.fault("%s %d are not the bytes that were stored", name, id)
		} else if err := parse(body); err != nil {
			c.fault("%s %d: %v", name, id, err)
		}
		return nil
	})
}

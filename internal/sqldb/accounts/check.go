package accounts

import (
	"gamedex/internal/sqldb/engine"
)

// Check reports keys and identities whose user does not exist.
func Check(r *engine.ReadTx, faults *engine.Faults) error {
	const text = `SELECT 'key ' || id, user_id FROM api_key WHERE user_id <> '' AND user_id NOT IN (SELECT id FROM person)
		UNION ALL SELECT 'an identity of ' || issuer, user_id FROM identity WHERE user_id NOT IN (SELECT id FROM person) LIMIT 20`
	return r.Query(text, nil, func(rows engine.Rows) error {
		var what, owner string
		err := rows.Scan(&what, &owner)
		faults.AddFault("%s belongs to user %s, who does not exist", what, owner)
		return err
	})
}

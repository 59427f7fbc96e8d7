package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/node"
	"gamedex/internal/sqldb"
)

type keyCommand struct {
	Create  keyCreate  `cmd:"" help:"Create a key and print its token, which is shown only once."`
	List    keyList    `cmd:"" help:"List keys. Tokens are not stored, so they cannot be shown."`
	Revoke  keyRevoke  `cmd:"" help:"Revoke a key permanently; this takes effect within two seconds."`
	Suspend keySuspend `cmd:"" help:"Suspend a key until it is resumed."`
	Resume  keyResume  `cmd:"" help:"Resume a suspended key."`
}

type keyCreate struct {
	Name        string `required:"" help:"Label of the key, 1 to 100 characters."`
	User        string `placeholder:"EMAIL" help:"Owner, who sees the key in the dashboard and can revoke it there (default: no owner)."`
	Permissions string `placeholder:"A,B" help:"Permissions: read:catalog, read:account (default: these two), write:webhooks."`
	Expires     string `placeholder:"RFC3339" help:"Expiry time, for example 2027-01-31T00:00:00Z (default: never)."`
	LimitMinute int    `env:"-" placeholder:"N" help:"Requests per minute, 1 to 262143 (default: the server's)."`
	LimitDay    int    `env:"-" placeholder:"N" help:"Requests per UTC day, 1 to 4194303 (default: the server's)."`
	JSON        bool   `name:"json" help:"Print one JSON object."`
}

// keyShown is a key as `key create --json` and `key list --json` print it.
type keyShown struct {
	KeyID       string   `json:"keyId"`
	Key         string   `json:"key,omitempty"`
	Name        string   `json:"name"`
	Status      string   `json:"status,omitempty"`
	Permissions []string `json:"permissions"`
	CreatedAt   string   `json:"createdAt"`
	ExpiresAt   *string  `json:"expiresAt"`
	LastUsedAt  *string  `json:"lastUsedAt,omitempty"`
	LimitMinute int      `json:"limitMinute,omitzero"`
	LimitDay    int      `json:"limitDay,omitzero"`
}

// Run creates the key. Its token is printed here and never again.
func (k *keyCreate) Run(ctx context.Context, p *program, c *commands) error {
	draft, err := k.draft()
	if err == nil {
		err = draft.Check(p.Now().UnixMilli())
	}
	if err != nil {
		return fmt.Errorf("--%w", err) // a FieldError, whose fields are named as the flags
	}
	return c.withDatabase(ctx, p, false, func(db *sqldb.DB) error {
		if draft.UserID, err = k.owner(ctx, db); err != nil {
			return err
		}
		key, token, err := node.CreateKey(ctx, db, draft, p.Now())
		if err != nil {
			return err
		}
		if k.JSON {
			shown := showKey(key, p.Now())
			shown.Key, shown.Status = token, ""
			err = writeJSON(p.Stdout, shown)
		} else {
			_, err = fmt.Fprintf(p.Stdout, "key:  %s\nid:   %s\nname: %s\n", token, key.ID, key.Name)
		}
		if err != nil {
			return fmt.Errorf("print key: %w; its token is lost: run gamedex key revoke %s, then create another key", err, key.ID)
		}
		if !k.JSON {
			fmt.Fprintln(p.Stderr, "This is the only time the key is shown: store it like a password.")
		}
		return nil
	})
}

// owner returns the id of the key's owner, "" if it has none.
func (k *keyCreate) owner(ctx context.Context, db *sqldb.DB) (string, error) {
	if k.User == "" {
		return "", nil
	}
	u, found, err := db.Accounts.FindUserByEmail(ctx, strings.ToLower(strings.TrimSpace(k.User)))
	switch {
	case err != nil:
		return "", err
	case !found:
		return "", fmt.Errorf("--user %s: %w; gamedex user list shows all users", k.User, account.ErrNotFound)
	case u.Disabled():
		return "", fmt.Errorf("--user %s: the user is disabled; run gamedex user enable %s first", k.User, u.Email)
	}
	return u.ID, nil
}

func (k *keyCreate) draft() (account.Draft, error) {
	permissions, err := account.ParsePermissions(k.Permissions)
	if err != nil {
		return account.Draft{}, err
	}
	d := account.Draft{Name: k.Name, Permissions: permissions, LimitMinute: k.LimitMinute, LimitDay: k.LimitDay}
	if k.Expires != "" {
		at, err := time.Parse(time.RFC3339, k.Expires)
		if err != nil {
			return account.Draft{}, &account.FieldError{Field: "expires", Value: fmt.Sprintf("%q", k.Expires),
				Constraint: "an RFC 3339 time such as 2027-01-31T00:00:00Z"}
		}
		d.ExpiresAt = at.UnixMilli()
	}
	return d, nil
}

type keyList struct {
	JSON bool `name:"json" help:"Print a JSON array."`
}

// Run lists all keys, oldest first.
func (k *keyList) Run(ctx context.Context, p *program, c *commands) error {
	return c.withDatabase(ctx, p, false, func(db *sqldb.DB) error {
		return printList(ctx, p.Stdout, k.JSON, "ID\tNAME\tSTATUS\tPERMISSIONS\tCREATED\tEXPIRES\tLAST USED", db.Accounts.ListKeys, func(key account.Key) listed {
			s := showKey(key, p.Now())
			return listed{s.KeyID, s, []string{s.KeyID, s.Name, s.Status, key.Permissions.String(), s.CreatedAt, orDash(s.ExpiresAt), orDash(s.LastUsedAt)}}
		})
	})
}

func orDash(s *string) string {
	if s == nil {
		return "-"
	}
	return *s
}

type keyRevoke struct {
	ID   string `arg:"" help:"Key id (key_…)."`
	JSON bool   `name:"json" help:"Print one JSON object."`
}

// Run revokes the key; a revoked key never works again.
func (k *keyRevoke) Run(ctx context.Context, p *program, c *commands) error {
	return changeKey(ctx, p, c, k.JSON, "revoked", func(db *sqldb.DB) (account.Key, error) {
		return db.Accounts.RevokeKey(ctx, k.ID, node.ByCommand(p.Now()))
	})
}

type keySuspend struct {
	ID     string `arg:"" help:"Key id (key_…)."`
	Reason string `help:"Reason, for the audit log, the owner and the clients of the key."`
	JSON   bool   `name:"json" help:"Print one JSON object."`
}

// Run suspends the key.
func (k *keySuspend) Run(ctx context.Context, p *program, c *commands) error {
	if k.Reason != "" {
		if err := account.CheckReason(k.Reason); err != nil {
			return fmt.Errorf("--%w", err)
		}
	}
	return changeKey(ctx, p, c, k.JSON, "suspended", func(db *sqldb.DB) (account.Key, error) {
		return db.Accounts.SuspendKey(ctx, k.ID, k.Reason, node.ByCommand(p.Now()))
	})
}

type keyResume struct {
	ID   string `arg:"" help:"Key id (key_…)."`
	JSON bool   `name:"json" help:"Print one JSON object."`
}

// Run resumes the key.
func (k *keyResume) Run(ctx context.Context, p *program, c *commands) error {
	return changeKey(ctx, p, c, k.JSON, "resumed", func(db *sqldb.DB) (account.Key, error) {
		return db.Accounts.ResumeKey(ctx, k.ID, node.ByCommand(p.Now()))
	})
}

// changeKey changes a key and prints its new state.
func changeKey(ctx context.Context, p *program, c *commands, asJSON bool, done string, change func(*sqldb.DB) (account.Key, error)) error {
	return c.withDatabase(ctx, p, false, func(db *sqldb.DB) error {
		key, err := change(db)
		if errors.Is(err, account.ErrNotFound) {
			return fmt.Errorf("%w; gamedex key list shows all keys", err)
		}
		if err != nil {
			return err
		}
		if asJSON {
			return writeJSON(p.Stdout, showKey(key, p.Now()))
		}
		_, err = fmt.Fprintf(p.Stdout, "%s %s (%s)\n", done, key.ID, key.Name)
		return err
	})
}

func showKey(k account.Key, now time.Time) keyShown {
	return keyShown{
		KeyID: k.ID, Name: k.Name, Status: string(k.Status(now.UnixMilli())),
		Permissions: k.Permissions.List(), CreatedAt: stamp(k.CreatedAt),
		ExpiresAt: optionalStamp(k.ExpiresAt), LastUsedAt: optionalStamp(k.LastUsedAt),
		LimitMinute: k.LimitMinute, LimitDay: k.LimitDay,
	}
}

// stamp returns Unix milliseconds as the API writes times.
func stamp(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z") }

func optionalStamp(ms int64) *string {
	if ms == 0 {
		return nil
	}
	s := stamp(ms)
	return &s
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

package main

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"

	"gamedex/internal/account"
	"gamedex/internal/dashboard/signin"
	"gamedex/internal/node"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/accounts"
)

type userCommand struct {
	Create  userCreate  `cmd:"" help:"Create a user of the dashboard and print the password, which is shown only once."`
	Invite  userInvite  `cmd:"" help:"Print a one-time link for creating an account."`
	Reset   userReset   `cmd:"" help:"Print a one-time link for choosing a new password."`
	List    userList    `cmd:"" help:"List users."`
	Disable userDisable `cmd:"" help:"Block a user: end their sessions and suspend their keys."`
	Enable  userEnable  `cmd:"" help:"Unblock a user and resume the keys that were suspended with them."`
	Delete  userDelete  `cmd:"" help:"Delete a user and revoke their keys permanently."`
}

// userShown is a user as the commands print one with --json.
type userShown struct {
	ID         string  `json:"id"`
	Email      string  `json:"email"`
	Password   string  `json:"password,omitempty"`
	Admin      bool    `json:"admin"`
	Status     string  `json:"status"`
	Keys       int     `json:"keys"`
	CreatedAt  string  `json:"createdAt"`
	SignedInAt *string `json:"signedInAt"`
}

func showUser(u account.UserSummary) userShown {
	status := "active"
	if u.Disabled() {
		status = "disabled"
	}
	return userShown{ID: u.ID, Email: u.Email, Admin: u.Admin, Status: status, Keys: u.Keys,
		CreatedAt: stamp(u.CreatedAt), SignedInAt: optionalStamp(u.SignedInAt)}
}

type userCreate struct {
	Email         string `arg:"" help:"Email address to sign in with. No email is sent."`
	Admin         bool   `help:"Make the user an administrator."`
	PasswordStdin bool   `help:"Read the password from the first line of standard input instead of generating one."`
	JSON          bool   `name:"json" help:"Print one JSON object."`
}

// Run creates the user. A generated password is printed here and never again.
func (c *userCreate) Run(ctx context.Context, p *program, all *commands) error {
	email, err := account.ParseEmail(c.Email)
	if err != nil {
		return err
	}
	password, err := c.password(p.Stdin, email)
	if err != nil {
		return err
	}
	return all.withDatabase(ctx, p, false, func(db *sqldb.DB) error {
		u, err := node.CreateUser(ctx, db, email, password, c.Admin, p.Now())
		if errors.Is(err, account.ErrEmailTaken) {
			return fmt.Errorf("create user %s: %w", email, account.ErrEmailTaken)
		}
		if err != nil {
			return err
		}
		switch shown := showUser(account.UserSummary{User: u}); {
		case c.JSON:
			if !c.PasswordStdin {
				shown.Password = password
			}
			return writeJSON(p.Stdout, shown)
		case c.PasswordStdin:
			_, err := fmt.Fprintf(p.Stdout, "created %s (%s)\n", u.Email, u.ID)
			return err
		}
		if _, err := fmt.Fprintf(p.Stdout, "email:    %s\npassword: %s\n", u.Email, password); err != nil {
			return fmt.Errorf("print password: %w; it is lost: run gamedex user reset %s", err, u.Email)
		}
		fmt.Fprintln(p.Stderr, "This is the only time the password is shown; it can be changed after signing in.")
		return nil
	})
}

func (c *userCreate) password(from io.Reader, email string) (string, error) {
	if !c.PasswordStdin {
		return account.NewPassword(rand.Reader)
	}
	line, err := bufio.NewReader(io.LimitReader(from, 4096)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read password: %w", err)
	}
	password := strings.TrimRight(line, "\r\n")
	return password, account.CheckPassword(password, email)
}

// localURL is the address of a server that was started without flags.
const localURL = "http://127.0.0.1:8080"

// lastURL returns the address of the server that started last.
func (c *commands) lastURL() (string, error) {
	server, err := c.serverFile().Read()
	return cmp.Or(server.URL, localURL), err
}

// linkFlags are common to the commands that print a link.
type linkFlags struct {
	Email     string `arg:"" help:"Email address of the recipient."`
	PublicURL string `placeholder:"URL" help:"URL of the service; the link starts with it (default: that of the server that started last, or http://127.0.0.1:8080)."`
	JSON      bool   `name:"json" help:"Print one JSON object."`
}

type userInvite struct {
	linkFlags
	Admin bool `help:"Make the new user an administrator."`
}

// Run prints an invitation. An earlier one for the same address stops working.
func (c *userInvite) Run(ctx context.Context, p *program, all *commands) error {
	email, err := account.ParseEmail(c.Email)
	if err != nil {
		return err
	}
	return all.withDatabase(ctx, p, false, func(db *sqldb.DB) error {
		_, taken, err := db.Accounts.FindUserByEmail(ctx, email)
		if err != nil {
			return err
		}
		if taken {
			return fmt.Errorf("invite %s: %w; for a new password: gamedex user reset %s", email, account.ErrEmailTaken, email)
		}
		return c.printLink(ctx, p, all, db, account.LinkInvite, func(l *account.Link) { l.Email, l.Admin = email, c.Admin })
	})
}

type userReset struct{ linkFlags }

// Run prints a link for a new password. An earlier one stops working.
func (c *userReset) Run(ctx context.Context, p *program, all *commands) error {
	return withUser(ctx, p, all, c.Email, func(db *sqldb.DB, u account.User) error {
		if u.Disabled() {
			return fmt.Errorf("reset %s: the user is disabled; run gamedex user enable %s first", u.Email, u.Email)
		}
		return c.printLink(ctx, p, all, db, account.LinkReset, func(l *account.Link) { l.UserID = u.ID })
	})
}

// printLink creates a link for a purpose, which fill completes, and prints it.
func (f *linkFlags) printLink(ctx context.Context, p *program, all *commands, db *sqldb.DB, purpose account.Purpose, fill func(*account.Link)) error {
	if f.PublicURL == "" {
		var err error
		if f.PublicURL, err = all.lastURL(); err != nil {
			return err
		}
	}
	if err := checkPublicURL(f.PublicURL); err != nil {
		return err
	}
	by := node.ByCommand(p.Now())
	link, token, err := account.NewLink(purpose, by, rand.Reader)
	if err != nil {
		return err
	}
	fill(&link)
	by.Detail = string(purpose)
	if link.Admin {
		by.Detail += ", administrator"
	}
	if err := db.Accounts.SaveLink(ctx, link, by); err != nil {
		return err
	}
	address := signin.LinkAddress(strings.TrimRight(f.PublicURL, "/"), purpose, token)
	if f.JSON {
		return writeJSON(p.Stdout, map[string]string{"link": address, "expiresAt": stamp(link.ExpiresAt)})
	}
	if _, err := fmt.Fprintln(p.Stdout, address); err != nil {
		return err
	}
	fmt.Fprintf(p.Stderr, "It works once, until %s.\n", stamp(link.ExpiresAt))
	if u, err := url.Parse(f.PublicURL); err == nil && u.Hostname() == "127.0.0.1" {
		fmt.Fprintln(p.Stderr, "It works on this machine only; for other machines set --public-url (or GAMEDEX_PUBLIC_URL) as for serve.")
	}
	return nil
}

type userList struct {
	JSON bool `name:"json" help:"Print a JSON array."`
}

// Run lists all users, oldest first.
func (c *userList) Run(ctx context.Context, p *program, all *commands) error {
	return all.withDatabase(ctx, p, false, func(db *sqldb.DB) error {
		next := func(ctx context.Context, after string, limit int) ([]account.UserSummary, error) {
			return db.Accounts.ListUsers(ctx, "", after, limit)
		}
		return printList(ctx, p.Stdout, c.JSON, "EMAIL\tSTATUS\tADMIN\tKEYS\tCREATED\tLAST SIGN-IN\tID", next, func(u account.UserSummary) listed {
			s, admin := showUser(u), "no"
			if u.Admin {
				admin = "yes"
			}
			return listed{s.ID, s, []string{s.Email, s.Status, admin, strconv.Itoa(s.Keys), s.CreatedAt, orDash(s.SignedInAt), s.ID}}
		})
	})
}

// userArg names a user.
type userArg struct {
	Email string `arg:"" help:"Email address of the user."`
}

type (
	userDisable userArg
	userEnable  userArg
	userDelete  userArg
)

// Run disables the user.
func (c *userDisable) Run(ctx context.Context, p *program, all *commands) error {
	return changeUser(ctx, p, all, c.Email, "disabled", (*accounts.Repository).DisableUser)
}

// Run enables the user.
func (c *userEnable) Run(ctx context.Context, p *program, all *commands) error {
	return changeUser(ctx, p, all, c.Email, "enabled", (*accounts.Repository).EnableUser)
}

// Run deletes the user and what is stored about them; doc/privacy.md lists what
// remains.
func (c *userDelete) Run(ctx context.Context, p *program, all *commands) error {
	return changeUser(ctx, p, all, c.Email, "deleted", (*accounts.Repository).DeleteUser)
}

// changeUser changes the user with this email address and prints what was done.
func changeUser(ctx context.Context, p *program, all *commands, email, done string,
	change func(*accounts.Repository, context.Context, string, account.By) error) error {
	return withUser(ctx, p, all, email, func(db *sqldb.DB, u account.User) error {
		err := change(db.Accounts, ctx, u.ID, node.ByCommand(p.Now()))
		if errors.Is(err, account.ErrLastAdmin) {
			return fmt.Errorf("%s: %w; create another administrator first: gamedex user create EMAIL --admin", u.Email, account.ErrLastAdmin)
		}
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(p.Stdout, "%s %s\n", done, u.Email)
		return err
	})
}

// withUser opens the database for one command about one user.
func withUser(ctx context.Context, p *program, all *commands, address string, work func(*sqldb.DB, account.User) error) error {
	email, err := account.ParseEmail(address)
	if err != nil {
		return err
	}
	return all.withDatabase(ctx, p, false, func(db *sqldb.DB) error {
		u, found, err := db.Accounts.FindUserByEmail(ctx, email)
		if err != nil {
			return err
		}
		if !found {
			return fmt.Errorf("user %s: %w; gamedex user list shows all users", email, account.ErrNotFound)
		}
		return work(db, u)
	})
}

package account

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/alexedwards/argon2id"
	"golang.org/x/text/unicode/norm"
)

// ErrBusy says that other passwords were being hashed all the time that one
// waited for its turn. Nothing was learnt of the password.
var ErrBusy = errors.New("too many passwords are being checked; try again in a few seconds")

// turnTimeout is how long a password waits for its turn: a person still waits
// for the answer then.
const turnTimeout = 3 * time.Second

// noHash has the parameters of every hash, and no password is known to fit it.
const noHash = "$argon2id$v=19$m=19456,t=2,p=1" +
	"$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

// hashParams are the same on every machine. They are the set of OWASP's
// recommended ones that takes memory rather than rounds, at the smallest: 19
// MiB, so that several hashes at once fit a small server. One lane, because it
// is hashes that run side by side.
func hashParams() argon2id.Params {
	return argon2id.Params{Memory: 19 * 1024, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}
}

// Passwords hashes passwords with argon2id and checks them, a bounded number
// at once, each with 19 MiB. It may be used from any goroutine. Create it with
// [NewPasswords].
//
// Letters that can be written in two ways in Unicode, as й and é, are the same
// however a keyboard composes them.
type Passwords struct {
	turns chan struct{} // holds one for each hash under way
}

// NewPasswords returns a Passwords that computes at most atOnce hashes at once,
// and at least one.
func NewPasswords(atOnce int) *Passwords {
	return &Passwords{turns: make(chan struct{}, max(atOnce, 1))}
}

// Hash returns the password's hash in PHC form, with a salt from the operating
// system. What [Passwords.Check] would never accept is a [FieldError]; whether
// the password is a good one is for [CheckPassword] to say. After three seconds
// without a turn the error is ErrBusy, wrapped; or it is that of ctx.
func (p *Passwords) Hash(ctx context.Context, password string) (string, error) {
	if err := refusedPassword(unfit(password)); err != nil {
		return "", err
	}
	if err := p.takeTurn(ctx); err != nil {
		return "", fmt.Errorf("hash password: %w", err)
	}
	defer p.endTurn()
	params := hashParams()
	phc, err := argon2id.CreateHash(norm.NFC.String(password), &params)
	if err != nil {
		return "", fmt.Errorf("hash password: %w", err)
	}
	return phc, nil
}

// Check says whether phc is a hash of the password. No hash ("") and one that
// Hash cannot have made are false after the same time as a hash of another
// password, so that time does not tell who has a password here. The parameters
// in phc are never computed unless they are those of Hash.
//
// A password that [Passwords.Hash] refuses is false at once, whatever the hash.
// Errors are as in Hash, and say nothing of the password.
func (p *Passwords) Check(ctx context.Context, password, phc string) (bool, error) {
	if unfit(password) != "" {
		return false, nil
	}
	usable := madeByHash(phc)
	if !usable {
		phc = noHash
	}
	if err := p.takeTurn(ctx); err != nil {
		return false, fmt.Errorf("check password: %w", err)
	}
	defer p.endTurn()
	same, err := argon2id.ComparePasswordAndHash(norm.NFC.String(password), phc)
	if err != nil {
		return false, fmt.Errorf("check password: %w", err)
	}
	return same && usable, nil
}

// madeByHash says whether phc has the parameters of Hash. Should these change
// one day, the former ones must be let through as well.
func madeByHash(phc string) bool {
	params, _, _, err := argon2id.DecodeHash(phc)
	return err == nil && *params == hashParams()
}

// takeTurn waits until fewer hashes than allowed are under way.
func (p *Passwords) takeTurn(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	late := time.NewTimer(turnTimeout)
	defer late.Stop()
	select {
	case p.turns <- struct{}{}:
		return nil
	case <-late.C:
		return ErrBusy
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *Passwords) endTurn() { <-p.turns }

package account

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/alexedwards/argon2id"
	"golang.org/x/text/unicode/norm"
)

// ErrBusy means that a password was not checked, because too many others were
// being hashed for as long as it could wait.
var ErrBusy = errors.New("too many passwords are being checked; try again in a few seconds")

// turnTimeout is how long a password waits for its turn. It is short enough for a
// person who waits for the answer.
const turnTimeout = 3 * time.Second

// noHash has the usual parameters, but no known password.
const noHash = "$argon2id$v=19$m=19456,t=2,p=1" +
	"$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

// hashParams returns the parameters, which are the same on every machine: the
// set with the least memory among those that OWASP recommends, 19 MiB, so that
// several hashes at once fit a small server. One lane, because different hashes
// run in parallel.
func hashParams() argon2id.Params {
	return argon2id.Params{Memory: 19 * 1024, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}
}

// Passwords hashes and checks passwords with argon2id, a limited number at once,
// each with 19 MiB. It is safe for concurrent use. Create it with
// [NewPasswords].
//
// It normalizes letters that Unicode can encode in two ways, like й and é, so
// that the keyboard does not matter.
type Passwords struct {
	turns chan struct{} // holds one for each hash in progress
}

// NewPasswords returns a Passwords that computes at most atOnce hashes at once,
// and at least one.
func NewPasswords(atOnce int) *Passwords {
	return &Passwords{turns: make(chan struct{}, max(atOnce, 1))}
}

// Hash returns the password's hash in PHC form, with a salt from the operating
// system. The error is a [FieldError] for a password that [Passwords.Check]
// would never accept, a wrapped ErrBusy after three seconds without a turn, or
// that of ctx. Hash does not check the strength of the password: see [CheckPassword].
func (p *Passwords) Hash(ctx context.Context, password string) (string, error) {
	if err := passwordError(unhashable(password)); err != nil {
		return "", err
	}
	if err := p.takeTurn(ctx); err != nil {
		return "", fmt.Errorf("hash password: %w", err)
	}
	defer func() { <-p.turns }()
	params := hashParams()
	phc, err := argon2id.CreateHash(norm.NFC.String(password), &params)
	if err != nil {
		return "", fmt.Errorf("hash password: %w", err)
	}
	return phc, nil
}

// Check reports whether phc is a hash of the password. If phc is empty or has
// other parameters than those of Hash, Check returns false after the same time as
// for a wrong password, so that the time does not reveal whether an account has
// a password. It never computes a hash with other parameters.
//
// Check returns false at once for a password that [Passwords.Hash] refuses. The
// other errors are those of Hash, and do not depend on the password.
func (p *Passwords) Check(ctx context.Context, password, phc string) (bool, error) {
	if unhashable(password) != "" {
		return false, nil
	}
	// If the parameters ever change, the former ones must be accepted as well.
	params, _, _, err := argon2id.DecodeHash(phc)
	usable := err == nil && *params == hashParams()
	if !usable {
		phc = noHash
	}
	if err := p.takeTurn(ctx); err != nil {
		return false, fmt.Errorf("check password: %w", err)
	}
	defer func() { <-p.turns }()
	same, err := argon2id.ComparePasswordAndHash(norm.NFC.String(password), phc)
	if err != nil {
		return false, fmt.Errorf("check password: %w", err)
	}
	return same && usable, nil
}

// takeTurn waits until fewer hashes than allowed are in progress.
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

package account

// Purpose says what a one-time link is for.
type Purpose string

// The purposes of links.
const (
	LinkSetup  Purpose = "setup"  // makes the first administrator, while there is no user
	LinkInvite Purpose = "invite" // makes a user with the link's email address
	LinkReset  Purpose = "reset"  // sets a new password for the link's user
)

// Link is a one-time link: who holds its token may do once what it is for.
type Link struct {
	Hash      [32]byte // SHA-256 of the token
	Purpose   Purpose
	Email     string // LinkInvite: whom it is for
	UserID    string // LinkReset: whose password
	Admin     bool   // LinkInvite: the user will be an administrator
	CreatedBy string // an actor, as in By
	CreatedAt int64
	ExpiresAt int64
}

package account

// User is a person who signs in to the dashboard.
type User struct {
	ID           string // "usr_" and 26 sortable characters
	Email        string // lower case; what one signs in with, never sent mail to
	PasswordHash string // argon2id in PHC form; "" signs in otherwise
	Admin        bool
	CreatedAt    int64
	SignedInAt   int64 // the last sign-in; 0 never
	DisabledAt   int64 // 0: not disabled
	// Epoch rises when all sessions of the user are to end: one that began in
	// an earlier epoch is over.
	Epoch int64
}

// Disabled says whether the user may neither sign in nor use keys.
func (u User) Disabled() bool { return u.DisabledAt != 0 }

// UserSummary is a line in a list of users.
type UserSummary struct {
	User
	Keys int // not revoked
}

// OwnedKey is a key with its owner's email; "" if the key belongs to nobody.
type OwnedKey struct {
	Key
	Email string
}

// MaxKeys is how many keys a user may have that are not revoked.
const MaxKeys = 50

// SuspendedWithUser is the reason of keys that were suspended because their
// user was disabled; they are resumed when the user is enabled.
const SuspendedWithUser = "the user is disabled"

// Session is a stored session of the dashboard.
type Session struct {
	ID        string // hash of what the browser holds
	UserID    string // "" nobody signed in yet
	Body      []byte
	ExpiresAt int64
}

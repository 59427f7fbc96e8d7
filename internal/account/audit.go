package account

// AuditEntry is one line of the record of what was done to keys and users.
// Entries are added in the same transaction as what they tell, and never changed.
type AuditEntry struct {
	At     int64
	Actor  string // "cli:<operating system user>" for commands, else a user id
	Action Action
	Object string // the id of the key or user it was done to
	Detail string // plain text or JSON; never a token
	From   string // the address it came from; "" for commands
}

// Action names what was done.
type Action string

// The actions on keys.
const (
	KeyCreate  Action = "key.create"
	KeyRevoke  Action = "key.revoke"
	KeySuspend Action = "key.suspend"
	KeyResume  Action = "key.resume"
)

package account

// By records who makes a change, when and from where. The store adds the action and the
// object.
type By struct {
	At     int64  // Unix milliseconds
	Actor  string // "cli:<operating system user>" for commands, else a user id
	From   string // address; "" for commands
	Detail string // plain text or JSON; never a token
}

// Entry returns the audit entry of an action on an object.
func (by By) Entry(action Action, object string) AuditEntry {
	return AuditEntry{At: by.At, Actor: by.Actor, Action: action, Object: object, Detail: by.Detail, From: by.From}
}

// AuditEntry is one entry of the audit log of keys and users. A change and its
// entry are stored in the same transaction. Later, only addresses are shortened
// and texts that name a deleted user are replaced.
type AuditEntry struct {
	ID     int64 // rises with every entry
	At     int64
	Actor  string
	Action Action
	Object string // the id of the changed key or user, a platform, or "overrides"
	Detail string
	From   string
}

// Action is the kind of a change.
type Action string

// The actions.
const (
	KeyCreate  Action = "key.create"
	KeyRename  Action = "key.rename"
	KeyRevoke  Action = "key.revoke"
	KeySuspend Action = "key.suspend"
	KeyResume  Action = "key.resume"
	KeyLimits  Action = "key.limits"

	UserCreate   Action = "user.create"
	UserSignIn   Action = "user.sign-in"
	UserPassword Action = "user.password"     // set or changed; ends all sessions
	UserIdentity Action = "user.identity"     // an identity of a provider was linked to the user
	UserSignOut  Action = "user.sign-out-all" // everywhere
	UserAdmin    Action = "user.admin"        // made an administrator
	UserNoAdmin  Action = "user.no-admin"
	UserDisable  Action = "user.disable"
	UserEnable   Action = "user.enable"
	UserDelete   Action = "user.delete"

	LinkCreate Action = "link.create"
	LinkRevoke Action = "link.revoke"

	PlatformSet Action = "platform.set"

	OverridesImport Action = "overrides.import"
	ProfileRegister Action = "profile.register"
)

// AuditQuery selects entries; an empty field selects all.
type AuditQuery struct {
	Actor  string
	Action Action
	Object string
	Before int64 // only entries with a lower ID; 0: all
	Limit  int   // the maximum number of entries, newest first
}

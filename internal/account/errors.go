package account

import "errors"

// What stands in the way of a change. Stores wrap them.
var (
	ErrNotFound    = errors.New("not found") // nothing has that id
	ErrEmailTaken  = errors.New("another user has this email address")
	ErrLastAdmin   = errors.New("nobody else is an administrator")
	ErrLinkGone    = errors.New("the link was used, has expired or never was")
	ErrTooManyKeys = errors.New("too many keys")
)

package account

import "errors"

// Reasons why a store refuses a change. Stores wrap them.
var (
	ErrNotFound    = errors.New("not found") // there is no such id
	ErrEmailTaken  = errors.New("another user has this email address")
	ErrLastAdmin   = errors.New("nobody else is an administrator")
	ErrLinkGone    = errors.New("the link was used, has expired or never was")
	ErrTooManyKeys = errors.New("too many keys")
)

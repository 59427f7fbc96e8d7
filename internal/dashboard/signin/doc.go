// Package signin holds the pages of an account: signing in and out, creating an
// account, one-time links, and the profile.
//
//	password ──────────────► checkPassword ─┐
//	one-time link ─► password form ─────────┼─► startSession ─► the next page
//	OpenID Connect ─► openid.Provider ──────┘
//
// Nobody learns here whether an email address has an account, except from the
// owner of the address: unknown addresses, wrong passwords and disabled users
// get the same answer after the same work. Attempts are throttled by address,
// account and known device.
//
// The package does not know sessions, which package web keeps, and does not
// manage other people's accounts, as package admin does.
package signin

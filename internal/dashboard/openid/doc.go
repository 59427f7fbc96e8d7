// Package openid asks a provider of OpenID Connect who somebody is.
//
//	SignIn ─► Provider.Address ─► the browser goes there, and comes back with a code
//	code, the same SignIn ─► Provider.Identify ─► Person
//
// A person is believed only as the provider signed it, for this client and this
// sign-in. A provider that is slow, talks without end or sends elsewhere is
// bounded in all of that, and what it answers to a code is in no error that
// [Reason] lets through.
//
// The package refuses to know users, sessions and pages.
package openid

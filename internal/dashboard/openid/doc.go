// Package openid signs people in with a provider of OpenID Connect.
//
//	SignIn ─► Provider.AuthURL ─► the browser goes there, and returns with a code
//	code, the same SignIn ─► Provider.Identify ─► Identity
//
// An identity is accepted only if the provider signed it for this client and this
// sign-in. Requests to a provider are bounded in time and size and follow no
// redirects. What the provider answers to a code never reaches a log: see
// [LogText].
//
// The package does not know users, sessions or pages.
package openid

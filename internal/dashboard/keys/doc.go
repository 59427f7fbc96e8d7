// Package keys holds the pages on which users create, rename and revoke their own
// API keys and see how the keys were used.
//
//	Repository: keys ──────────► View ──────┐
//	Counter: what is used now ─┘            ├─► pages, here and in package admin
//	Repository: usage by hour ─► UsageView ─┘
//
// A key is looked up among the visitor's own: another user's key is not found, as
// if it did not exist. The token of a new key is shown once; no address and no
// session holds it.
//
// The package does not suspend keys or change their limits: package admin does.
package keys

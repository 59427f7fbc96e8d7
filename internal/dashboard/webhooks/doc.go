// Package webhooks holds the pages on which users create webhooks of their keys, test them, and see whether their
// messages arrive.
//
//	Repository: webhooks, tries ─► View ─► pages, here and in package admin
//	forms ─► API, as the owner of the key: pages show its errors beside the fields
//
// A webhook is looked up among those of the visitor's own keys: that of another user is not found, as if it did not
// exist. The secret of a new webhook is shown once; no address and no session holds it.
//
// The package does not decide what a webhook may be: the API does.
package webhooks

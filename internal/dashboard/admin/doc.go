// Package admin holds the pages of administrators: users and their one-time links,
// all keys and webhooks, the status of platforms, and the audit log.
//
//	Users, Links, Keys, Webhooks, Platforms ◄── forms, with who did it for the audit log
//	keys.Pages, webhooks.Pages, status.Pages ► the parts that users see, too
//
// Every change names its administrator and is in the audit log when the
// repository returns. Administrators cannot disable themselves or give up their own rights, so
// one always remains.
package admin

// Package platforms reads what a manifest says of each platform: its status, whether it is
// collected, and when its listings were last seen.
//
//	override, collection, sweeps, listings ─► States.Read ─► index.PlatformState
//
// The package refuses to decide the status: package sweep does.
package platforms

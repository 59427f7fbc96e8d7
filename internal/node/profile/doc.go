// Package profile reads the operator's profile of collection: which stores may be read,
// how politely, and how often.
//
//	file ─► Read ─► Profile ─► consolestore, pcstore, upstream.Host, collect.Intervals
//	                   └─► Hash ─► Agree: do all collectors of a database have the same?
//
// The sections of the stores belong to the packages of the stores. Package profile
// refuses unknown fields, and to send any request.
package profile

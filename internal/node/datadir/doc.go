// Package datadir keeps what is around the database in a data folder: who may read its
// files, and what a server tells the commands.
//
//	every command ─► KeepPrivate ─► only the owner has access
//	serve ─► ServerFile.Write ─► server.json ─► ServerFile.Read ─► commands: URL, active regions
//
// The package refuses to change a folder that holds other things, such as a home folder.
package datadir

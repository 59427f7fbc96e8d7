// Package datadir manages the other files of a data folder: who may read them, and the
// notes of a server for the commands.
//
//	every command ─► KeepPrivate ─► only the owner has access
//	serve ─► ServerFile.Write ─► server.json ─► ServerFile.Read ─► commands: URL, active regions
//
// The package refuses to change a folder that holds other things, such as a home folder.
package datadir

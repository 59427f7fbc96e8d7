// Package catalogtest makes sample listings for the tests of other packages.
//
//	Console("TR", "EP…", Family("1"), …) ─► catalog.Listing ─► Listings ─► []catalog.Entry
//
// Listings takes lines as a database does, through catalog.Supersede, so that a
// test can tell a story in time. The package refuses to be part of the program:
// only test files import it.
package catalogtest

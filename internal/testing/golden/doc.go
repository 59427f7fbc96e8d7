// Package golden compares what a test got with a file of its testdata. It is for tests only.
//
//	test ─► Check(t, "testdata/cards.golden", got) ─► differs? the diff, and the command that rewrites the file
//	        with -update: the file becomes got
//
// `make update` finds golden tests by the import of this package, and runs all tests of the
// files that import it. So a golden test calls Check or Update in its own file.
package golden

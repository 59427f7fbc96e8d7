// Package rejected reports the lines that an import rejects.
//
//	importer.Import ──LineError──► Report.Add: by input, field and reason ─► Write: a line for each kind
//
// A mistake that every line has is one line of the report, with the numbers of some of
// the lines. The memory is bounded for any input: the package refuses to keep more than
// 200 kinds, and only counts the lines of further ones.
package rejected

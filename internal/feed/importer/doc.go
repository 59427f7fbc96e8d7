// Package importer reads inputs in the formats of package feed, from files, standard
// input and the web, and saves them in a repository.
//
//	Opener ─► feed.Reader ─► batches ─► Repository.Save ─► withdraw what is missing
//	Opener ─► feed.HistoryReader ─► batches ─► HistoryRepository
//
// A strict import copies and checks all inputs before it saves the first batch. The
// repository is that of package sqldb/listings; package builder publishes what it holds.
//
// The package does not know the format, which line of a listing takes precedence
// (catalog.Supersede) and how listings are stored.
package importer

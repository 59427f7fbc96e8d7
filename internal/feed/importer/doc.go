// Package importer reads inputs in the formats of package feed, from files, standard
// input and the web, and saves them in a repository.
//
//	Opener ─► (a strict import copies and checks it first) ─► feed.Reader ─► batches ─► Repository.Save ─► withdraw what is missing
//	Opener ─► feed.HistoryReader ─► batches ─► HistoryRepository
package importer

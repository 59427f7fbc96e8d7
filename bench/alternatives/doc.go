// Package alternatives holds what people would build or use instead of the
// product's own code, each set up for speed as its documentation advises:
//
//   - bulk prices: [Answer] from structs and encoding/json, [RedisDocuments],
//     [SQLiteRows], [PostgresJSON]
//   - search: [SearchEngine] on bleve, Xapian and SQLite's FTS5 for speed, and
//     [BleveQuality] and [FTS5Quality] for good results
//   - a snapshot: [Columns], encoded with encoding/gob
//   - an import: [Upserts] of rows that are parsed already
//   - rate limits: [RedisLimiter], a script in Redis
//
// It does not measure; package subjects does.
package alternatives

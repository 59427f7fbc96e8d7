// Package subjects holds the comparisons, a file for each one.
//
//	catalog ─► our side and the others ─► check that all answer the same ─► rounds ─► report.Section
//
// A subject says in its section what each side does, and which side does more.
package subjects

import (
	"context"

	"gamedex/bench/harness"
	"gamedex/bench/report"
)

// Subject is a comparison.
type Subject struct {
	Name    string // for -only
	Measure func(context.Context, *harness.Run) (report.Section, error)
}

// All has the subjects in the order in which they are measured and reported.
var All = []Subject{
	{"encode", measureEncode},
	{"encode-regions", measureEncodeRegions},
	{"http-plain", measureHTTPPlain},
	{"http-gzip", measureHTTPGzip},
	{"http-gzip-distinct", measureHTTPGzipDistinct},
	{"alternatives", measureAlternatives},
	{"search", measureSearch},
	{"quality", measureQuality},
	{"endpoints", measureEndpoints},
	{"stack", measureStack},
	{"limiter", measureLimiter},
	{"counters", measureCounters},
	{"nodes", measureNodes},
	{"open", measureOpen},
	{"import", measureImport},
	{"postgres", measurePostgres},
	{"postgres-import", measurePostgresImport},
	{"postgres-sweep", measurePostgresSweep},
	{"postgres-read", measurePostgresRead},
	{"publication", measurePublication},
	{"updates", measureUpdates},
	{"past", measurePast},
	{"options", measureOptions},
	{"changes", measureChanges},
	{"resolve", measureResolve},
	{"deals", measureDeals},
	{"browse", measureBrowse},
	{"deals-http", measureDealsHTTP},
	{"past-scale", measurePastScale},
	{"growth", measureGrowth},
}

// bulkIDs is how many ids a request for bulk prices has.
const bulkIDs = 1000

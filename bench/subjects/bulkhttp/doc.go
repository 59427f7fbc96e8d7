// Package bulkhttp compares bulk prices over HTTP, 1000 ids in four regions,
// with nginx serving the very same bytes as static files, plain and compressed.
package bulkhttp

// Package titleindex is the service's own index of titles without the rest of
// a snapshot, for comparisons with other engines on the same titles.
package titleindex

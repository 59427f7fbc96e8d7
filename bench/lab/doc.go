// Package lab is where subjects are measured: work folders, the catalog of the
// measurements in the real database and as an open index, the program itself
// and the servers that it is compared with, all on the loopback interface and
// gone at the end.
package lab

// Package clidoc writes the shell completions and the man page of a program from the
// description of its command line. It knows nothing of the commands themselves.
package clidoc

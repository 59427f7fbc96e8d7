// Package importing measures a whole import, from lines of text to a database
// that has forgotten nothing, against a bare loop of upserts of the same rows
// that somebody has parsed before: no checks, no details by content, no
// generations, no history.
package importing

// Package mcp gives assistants four tools that read games and prices, over the Model Context
// Protocol. The tools are clients of the public API, like any other program.
//
//	arguments ─► Client (HTTP) ─► answer ─► fit: at most 8 KB ─► text and structured content
//
// It changes nothing, keeps no prices and never guesses: a title that fits several cards gives
// candidates. Texts of stores are only in data fields, cleaned and quoted, so that an assistant
// does not take them for instructions.
package mcp

package postgres

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// emptyList reports whether an argument is an empty list: its statement finds no row,
// and needs no round trip.
func emptyList(args []any) bool {
	for _, arg := range args {
		switch list := arg.(type) {
		case []string:
			return len(list) == 0
		case []int64:
			return len(list) == 0
		case [][]byte:
			return len(list) == 0
		}
	}
	return false
}

// plainArgs returns arguments whose texts the server accepts. It does not change args.
func plainArgs(args []any) []any {
	own := false
	for i, arg := range args {
		var better any
		switch v := arg.(type) {
		case string:
			if isPlain(v) {
				continue
			}
			better = plain(v)
		case []string:
			if !slices.ContainsFunc(v, func(s string) bool { return !isPlain(s) }) {
				continue
			}
			list := make([]string, len(v))
			for k, s := range v {
				list[k] = plain(s)
			}
			better = list
		default:
			continue
		}
		if !own {
			args, own = slices.Clone(args), true
		}
		args[i] = better
	}
	return args
}

// isPlain reports whether the server accepts s as a text: it refuses zero bytes and
// what is not UTF-8.
func isPlain(s string) bool { return strings.IndexByte(s, 0) < 0 && utf8.ValidString(s) }

// plain returns s with the replacement character for what the server refuses. Stores
// and checks before them refuse such texts where they matter; what is left, such as
// the address in an audit entry, must not make a change fail.
func plain(s string) string {
	if isPlain(s) {
		return s
	}
	return strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", "\uFFFD"), "\uFFFD")
}

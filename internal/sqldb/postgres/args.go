package postgres

import (
	"slices"

	"gamedex/internal/sqldb/engine"
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
			if engine.IsPlain(v) {
				continue
			}
			better = engine.Plain(v)
		case []string:
			if !slices.ContainsFunc(v, func(s string) bool { return !engine.IsPlain(s) }) {
				continue
			}
			list := make([]string, len(v))
			for k, s := range v {
				list[k] = engine.Plain(s)
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

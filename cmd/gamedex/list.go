package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// listed is an element of a list as it is printed.
type listed struct {
	id    string   // the next page begins after it
	value any      // what --json prints
	cells []string // of its row in the table
}

// listedAtOnce is how many elements of a list are in memory.
const listedAtOnce = 1000

// printList prints a list as one JSON array, or as a table whose columns are as wide as the rows
// of their page need.
func printList[T any](ctx context.Context, w io.Writer, asJSON bool, columns string,
	next func(ctx context.Context, after string, limit int) ([]T, error), show func(T) listed) error {
	out := bufio.NewWriter(w) // keeps the first error
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	array := jsontext.NewEncoder(out, jsontext.WithIndent("  "))
	if asJSON {
		_ = array.WriteToken(jsontext.BeginArray)
	} else {
		fmt.Fprintln(table, columns)
	}
	for after, more := "", true; more; {
		page, err := next(ctx, after, listedAtOnce)
		if err != nil {
			return err
		}
		for _, element := range page {
			l := show(element)
			after = l.id
			if !asJSON {
				fmt.Fprintln(table, strings.Join(l.cells, "\t"))
			} else if err := jsonv2.MarshalEncode(array, l.value); err != nil {
				return err
			}
		}
		if err := table.Flush(); err != nil {
			return err
		}
		more = len(page) == listedAtOnce
	}
	if asJSON {
		_ = array.WriteToken(jsontext.EndArray)
	}
	return out.Flush()
}

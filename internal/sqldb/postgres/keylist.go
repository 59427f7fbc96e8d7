package postgres

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// keyWithList matches the conditions on a key whose last column has a list.
var keyWithList = regexp.MustCompile(`WHERE ((?:[\w.]+ = \$\d+ AND )+[\w.]+) = ANY\(\$(\d+)\)`)

// lookUpKeys returns a text that looks up each key of a list in the index. As the text
// stands, the server either does that or reads all rows with the first columns of the key,
// whichever it expects to be less. Statistics that do not know these rows yet, such as those
// of a new region, let it expect one row: it would read the whole region. It expects nothing
// of values that a subquery returns.
func lookUpKeys(text string, args []any) string {
	at := keyWithList.FindStringSubmatchIndex(text)
	if at == nil {
		return text
	}
	conditions, list := strings.Split(text[at[2]:at[3]], " AND "), text[at[4]:at[5]]
	last := len(conditions) - 1
	columns, values := make([]string, last+1), make([]string, last+1)
	columns[last], values[last] = conditions[last], "unnest("+typed(list, args)+")"
	for i, condition := range conditions[:last] {
		column, number, _ := strings.Cut(condition, " = $")
		columns[i], values[i] = column, typed(number, args)
	}
	return text[:at[0]] + "WHERE (" + strings.Join(columns, ", ") + ") IN (SELECT " + strings.Join(values, ", ") + ")" + text[at[1]:]
}

// typed returns the argument with a number, with the type of its value.
func typed(number string, args []any) string {
	name := "text"
	if n, err := strconv.Atoi(number); err == nil && 0 < n && n <= len(args) {
		switch args[n-1].(type) {
		case int, int64:
			name = "int8"
		case float64:
			name = "float8"
		case []byte:
			name = "bytea"
		case []string:
			name = "text[]"
		case []int64:
			name = "int8[]"
		case [][]byte:
			name = "bytea[]"
		}
	}
	return fmt.Sprintf("$%s::%s", number, name)
}

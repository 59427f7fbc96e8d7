package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

// printKeys prints keys by printList; a page that begins after the key with the id fails is an error.
func printKeys(w io.Writer, asJSON bool, fails string, keys []keyShown) error {
	next := func(_ context.Context, after string, limit int) ([]keyShown, error) {
		if after == fails {
			return nil, errors.New("the database is gone")
		}
		from := slices.IndexFunc(keys, func(k keyShown) bool { return k.KeyID > after })
		if from < 0 {
			return nil, nil
		}
		return keys[from:min(from+limit, len(keys))], nil
	}
	return printList(context.Background(), w, asJSON, "ID\tNAME\tSTATUS", next, func(k keyShown) listed {
		return listed{k.KeyID, k, []string{k.KeyID, k.Name, k.Status}}
	})
}

// manyKeys returns n keys, by their ids.
func manyKeys(n int) []keyShown {
	keys, at := make([]keyShown, n), "2027-01-31T00:00:00.000Z"
	for i := range keys {
		keys[i] = keyShown{KeyID: fmt.Sprintf("key_%05d", i), Name: `ключ & <"b\">` + strings.Repeat("x", i%7), Status: "active", Permissions: []string{}, CreatedAt: at}
		if i%2 == 1 {
			keys[i].Permissions, keys[i].ExpiresAt, keys[i].LastUsedAt, keys[i].LimitDay = []string{"a", "b"}, &at, &at, i
		}
	}
	return keys
}

// TestListsOfManyPages checks that a list does not show where its pages end, except in the widths of columns.
func TestListsOfManyPages(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, listedAtOnce - 1, listedAtOnce, 2*listedAtOnce + 3} {
		keys := manyKeys(n)
		var got, want, table bytes.Buffer
		err := errors.Join(printKeys(&got, true, "none", keys), writeJSON(&want, keys), printKeys(&table, false, "none", keys))
		if err != nil {
			t.Fatal(err)
		}
		if got.String() != want.String() {
			t.Errorf("%d keys as JSON: %.300s\nwant %.300s", n, &got, &want)
		}
		lines := strings.Split(strings.TrimSuffix(table.String(), "\n"), "\n")
		if len(lines) != 1+n {
			t.Fatalf("%d keys: %d lines", n, len(lines))
		}
		for i, k := range keys {
			if fields := strings.Fields(lines[1+i]); fields[0] != k.KeyID || fields[len(fields)-1] != k.Status {
				t.Errorf("line %d is %q", 1+i, lines[1+i])
			}
			if i < listedAtOnce && len([]rune(lines[1+i])) != len([]rune(lines[1])) {
				t.Errorf("line %d is not aligned: %q", 1+i, lines[1+i])
			}
		}
	}
}

// fullDisk refuses what is written.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// TestListsThatEndEarly checks that they fail, and are no JSON that looks complete.
func TestListsThatEndEarly(t *testing.T) {
	t.Parallel()
	keys := manyKeys(2 * listedAtOnce)
	for _, asJSON := range []bool{false, true} {
		for _, fails := range []string{"", keys[listedAtOnce-1].KeyID, keys[len(keys)-1].KeyID} {
			var out bytes.Buffer
			if err := printKeys(&out, asJSON, fails, keys); err == nil || json.Valid(out.Bytes()) {
				t.Errorf("JSON %v, after %q: error %v, %d bytes", asJSON, fails, err, out.Len())
			}
			if fails == "" && out.Len() > 0 {
				t.Errorf("JSON %v: nothing could be read, printed %q", asJSON, &out)
			}
		}
		for _, n := range []int{0, len(keys)} {
			if err := printKeys(fullDisk{}, asJSON, "none", keys[:n]); err == nil {
				t.Errorf("JSON %v: %d keys on a full disk: no error", asJSON, n)
			}
		}
	}
}

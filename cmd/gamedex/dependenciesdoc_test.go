package main

import (
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// dependency is a row of doc/dependencies.md.
type dependency struct{ version, licence string }

// dependenciesDoc returns the rows of the table of direct dependencies.
func dependenciesDoc(t *testing.T) map[string]dependency {
	t.Helper()
	rows := map[string]dependency{}
	row := regexp.MustCompile("(?m)^\\| `([^`]+)` \\| (v[^ |]+) \\| (\\d{4}-\\d\\d-\\d\\d) \\| ([^|]+) \\| ([^|]+) \\|[^|]*\\|$")
	for _, found := range row.FindAllStringSubmatch(read(t, "../../doc/dependencies.md"), -1) {
		if _, err := time.Parse(time.DateOnly, found[3]); err != nil {
			t.Error(err)
		}
		rows[found[1]] = dependency{found[2], found[4]}
	}
	return rows
}

// TestDependenciesDoc compares doc/dependencies.md with the direct dependencies of go.mod.
func TestDependenciesDoc(t *testing.T) {
	t.Parallel()
	rows := dependenciesDoc(t)
	direct, _, _ := strings.Cut(read(t, "../../go.mod"), "// indirect")
	for _, found := range regexp.MustCompile(`(?m)^\t(\S+) (v\S+)$`).FindAllStringSubmatch(direct, -1) {
		if rows[found[1]].version != found[2] {
			t.Errorf("go.mod requires %s %s, and doc/dependencies.md has version %q", found[1], found[2], rows[found[1]].version)
		}
		delete(rows, found[1])
	}
	if len(rows) > 0 {
		t.Errorf("doc/dependencies.md has modules that go.mod does not require: %q", slices.Sorted(maps.Keys(rows)))
	}
}

// allowedLicences are phrases of the licences that a linked module may have, by name.
var allowedLicences = map[string]string{
	"MIT":          "Permission is hereby granted, free of charge",
	"BSD-3-Clause": "Redistribution and use in source and binary forms",
	"Apache-2.0":   "Apache License",
}

// TestLicencesAreAllowed checks that each linked module has one of the licences that go
// with ours, and that doc/dependencies.md names it.
func TestLicencesAreAllowed(t *testing.T) {
	t.Parallel()
	rows := dependenciesDoc(t)
	for _, m := range linkedModules(t) {
		text := strings.Join(strings.Fields(licenseOf(t, m.dir)), " ")
		if strings.Contains(text, "GNU ") && strings.Contains(text, "GENERAL PUBLIC LICENSE") {
			t.Errorf("%s is under a GNU licence", m.name)
		}
		var has []string
		for name, phrase := range allowedLicences {
			if strings.Contains(text, phrase) {
				has = append(has, name)
			}
		}
		if len(has) == 0 {
			t.Errorf("%s (%s) has a licence that is not on the list:\n%.300s", m.name, filepath.Base(m.dir), text)
		}
		if row, direct := rows[m.name]; direct && !slices.ContainsFunc(has, func(name string) bool { return strings.Contains(row.licence, name) }) {
			t.Errorf("doc/dependencies.md says that %s is under %s; its text is that of %q", m.name, row.licence, has)
		}
	}
}

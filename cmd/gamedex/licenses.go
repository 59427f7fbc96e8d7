package main

import (
	_ "embed"
	"fmt"
)

// licenseTexts is made by TestLicenses -update from the modules that are
// linked into the program, with the data that those modules carry.
//
//go:embed notices/licenses.txt
var licenseTexts string

type licensesCommand struct{}

// Run prints the licence of every linked module.
func (licensesCommand) Run(p *program) error {
	_, err := fmt.Fprint(p.Stdout, licenseTexts)
	return err
}

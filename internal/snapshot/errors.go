package snapshot

import "fmt"

// DamageError reports a file that cannot be used, and the damaged place. Section
// is the name of a section, "header" for what stands before the table (a
// foreign file included), "table" for the table of sections itself.
type DamageError struct {
	Section string
	Reason  string
}

// Error names the section and what is wrong with it.
func (e *DamageError) Error() string {
	return fmt.Sprintf("read snapshot: %s is damaged: %s", e.Section, e.Reason)
}

// Damaged returns a [DamageError]. Packages use it for what they find wrong
// inside the sections that they wrote.
func Damaged(section, format string, args ...any) error {
	return &DamageError{Section: section, Reason: fmt.Sprintf(format, args...)}
}

// VersionError reports a file that is intact but was written by another version
// of the program.
type VersionError struct {
	Kind   string // of the file; "container" if the layout itself differs
	Found  uint32
	Wanted uint32
}

// Error names both versions and the way out.
func (e *VersionError) Error() string {
	return fmt.Sprintf("read snapshot: %s version is %d, this program reads %d: build it again", e.Kind, e.Found, e.Wanted)
}

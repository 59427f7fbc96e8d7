package datadir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"gamedex/internal/catalog"
)

// ServerFile is the path of the file in which a server tells the commands about
// itself. It stays when the server stops: the next one most likely has the same flags.
type ServerFile string

// ServerNotes are what the commands know of the server that started last.
type ServerNotes struct {
	URL           string           // where clients reach the API; "" if none started
	ActiveRegions []catalog.Region // as chosen; empty: the default
}

type serverNotesBody struct {
	URL           string   `json:"url"`
	ActiveRegions []string `json:"activeRegions,omitempty"`
}

// Read returns the notes; a missing file has none.
func (f ServerFile) Read() (ServerNotes, error) {
	text, err := os.ReadFile(string(f))
	if errors.Is(err, fs.ErrNotExist) {
		return ServerNotes{}, nil
	}
	var body serverNotesBody
	if err == nil {
		err = json.Unmarshal(text, &body)
	}
	notes := ServerNotes{URL: body.URL}
	for _, code := range body.ActiveRegions {
		r, parseErr := catalog.ParseRegion(code)
		err = errors.Join(err, parseErr)
		notes.ActiveRegions = append(notes.ActiveRegions, r)
	}
	if err != nil {
		return ServerNotes{}, fmt.Errorf("read what the server wrote: %s: %w", f, err)
	}
	return notes, nil
}

// Write replaces the notes in one step.
func (f ServerFile) Write(notes ServerNotes) error {
	body := serverNotesBody{URL: notes.URL}
	for _, r := range notes.ActiveRegions {
		body.ActiveRegions = append(body.ActiveRegions, r.String())
	}
	text, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("encode server notes: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(string(f)), 0o700); err != nil {
		return fmt.Errorf("make folder of %s: %w", f, err)
	}
	part := string(f) + ".part"
	if err := os.WriteFile(part, append(text, '\n'), 0o600); err != nil {
		return fmt.Errorf("write %s: %w", f, err)
	}
	if err := os.Rename(part, string(f)); err != nil {
		return fmt.Errorf("replace %s: %w", f, err)
	}
	return nil
}

package datadir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"gamedex/internal/catalog"
)

// The permission bits of users other than the owner.
const (
	groupAndOthers fs.FileMode = 0o077
	others         fs.FileMode = 0o007
	othersWrite    fs.FileMode = 0o002
)

// KeepPrivate removes the access of all users but the owner to a data folder, to the
// snapshots and the cache in it, to the database with the files beside it, and to
// further files. It returns what it changed. Missing files are not an error.
//
// A file of another user, which cannot be changed, may be open to its group, because
// volumes are given to containers in this way. If it is open to everybody, KeepPrivate
// returns an error. It leaves a folder that holds anything else as it is, such as a
// home folder or a website; others may not write there.
//
// On Windows it does nothing: permissions there do not follow from these bits.
func KeepPrivate(dir, database string, files ...string) (changed []string, err error) {
	if runtime.GOOS == "windows" {
		return nil, nil
	}
	files = append(files, filepath.Join(dir, "snapshots"), filepath.Join(dir, "cache"))
	files = append(files, filesOf(database)...)
	own, err := ownFolder(dir, files)
	if err != nil {
		return nil, err
	}
	if own {
		files = append(files, dir)
	}
	for _, name := range files {
		had, err := keepPrivate(name)
		if err != nil {
			return nil, err
		}
		if had {
			changed = append(changed, name)
		}
	}
	return changed, nil
}

// keepPrivate removes the access of others to one file or folder, and reports whether
// they had any.
func keepPrivate(name string) (bool, error) {
	st, err := os.Stat(name)
	if err != nil || st.Mode()&groupAndOthers == 0 {
		return false, nil // who opens it next reports the error
	}
	err = os.Chmod(name, st.Mode().Perm()&^groupAndOthers)
	switch {
	case errors.Is(err, fs.ErrNotExist), // another process removed it
		err != nil && st.Mode()&others == 0: // a group that its owner chose
		return false, nil
	case err != nil:
		return false, fmt.Errorf("every user of this machine has access to %s, which holds keys and users: its owner must run chmod go= %[1]s (%w)", name, err)
	}
	return true, nil
}

// ownFolder reports whether a data folder is to be closed: it holds nothing but the
// data, which are in files, or everybody may write to it and it holds no other folder.
func ownFolder(dir string, files []string) (bool, error) {
	st, err := os.Stat(dir)
	if err != nil {
		return false, nil // who opens it next reports the error
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false, nil
	}
	otherFolders, otherFiles := false, false
	for _, e := range entries {
		known := slices.Contains(files, filepath.Join(dir, e.Name())) || e.Name() == "overrides.ndjson" ||
			e.Name() == "lost+found" || e.Name() == ".probe" || strings.HasPrefix(e.Name(), ".backup-")
		otherFolders = otherFolders || !known && e.IsDir()
		otherFiles = otherFiles || !known && !e.IsDir()
	}
	sticky := st.Mode()&fs.ModeSticky != 0
	if st.Mode()&othersWrite == 0 || sticky {
		return !otherFolders && !otherFiles && !sticky, nil
	}
	if otherFolders {
		return false, fmt.Errorf("every user of this machine can replace files in %s: choose a folder that holds nothing else (--data-dir), or run chmod o-w %[1]s", dir)
	}
	return true, nil
}

// filesOf returns the database and the files beside it, such as its log.
func filesOf(database string) (list []string) {
	dir, base := filepath.Split(database)
	entries, _ := os.ReadDir(filepath.Clean(dir)) // who opens it next reports the error
	for _, e := range entries {
		rest, found := strings.CutPrefix(e.Name(), base)
		if found && base != "" && e.Type().IsRegular() && (rest == "" || rest[0] == '-' || rest[0] == '.') {
			list = append(list, filepath.Join(dir, e.Name()))
		}
	}
	return list
}

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

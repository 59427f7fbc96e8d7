package bucket

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Folder is a [Bucket] in a directory. Directories have mode 0700, files 0600.
// The name of a blob cannot also be the directory of another ("a" beside "a/b"). The
// file system must support hard links: creating one fails if the name is taken. Open
// a Folder with [OpenFolder]. If dir is deleted or replaced, the Folder goes on with the
// new one, which Put creates.
type Folder struct {
	dir   string
	run   string // makes the names of this process's temporary files unique
	count atomic.Int64

	mu     sync.Mutex
	opened *os.Root // nothing outside dir can be reached
	closed bool
}

const (
	tempDir     = ".tmp" // no blob name begins with a dot
	abandonedAt = time.Hour
)

// OpenFolder opens the bucket in dir, creating the directory if needed. It removes
// temporary files that are over an hour old: their writers have crashed. Another
// process may still be writing younger ones.
func OpenFolder(dir string) (*Folder, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("create bucket folder: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open bucket folder: %w", err)
	}
	now := time.Now()
	if err := prepareTemp(root, now); err != nil {
		root.Close()
		return nil, fmt.Errorf("open bucket folder: %w", err)
	}
	return &Folder{dir: dir, opened: root, run: fmt.Sprintf("%d-%d", os.Getpid(), now.UnixNano())}, nil
}

func prepareTemp(root *os.Root, now time.Time) error {
	if err := root.MkdirAll(tempDir, 0o700); err != nil {
		return err
	}
	left, err := fs.ReadDir(root.FS(), tempDir)
	if err != nil {
		return err
	}
	for _, entry := range left {
		info, err := entry.Info()
		if err != nil || now.Sub(info.ModTime()) < abandonedAt {
			continue // already removed, or in use
		}
		if err := root.Remove(path.Join(tempDir, entry.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Close releases the directory. The folder must not be used afterwards.
func (f *Folder) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	return f.opened.Close()
}

// root returns the directory. If another one has its name now, root opens that one; the
// garbage collector closes the former one once nothing uses it.
func (f *Folder) root() *os.Root {
	f.mu.Lock()
	defer f.mu.Unlock()
	named, err := os.Stat(f.dir)
	if err != nil || f.closed {
		return f.opened // a deleted directory is empty
	}
	if was, err := f.opened.Stat("."); err == nil && os.SameFile(was, named) {
		return f.opened
	}
	if root, err := os.OpenRoot(f.dir); err == nil {
		f.opened = root
	}
	return f.opened
}

// Put implements [Bucket].
func (f *Folder) Put(ctx context.Context, name string, blob []byte) error {
	if err := Begin(ctx, name); err != nil {
		return err
	}
	if err := os.MkdirAll(f.dir, 0o700); err != nil {
		return Failed("put", name, err)
	}
	root := f.root()
	temp := path.Join(tempDir, f.run+"-"+strconv.FormatInt(f.count.Add(1), 10))
	err := writeTemp(root, temp, blob)
	if err == nil {
		err = publish(root, temp, name)
	}
	_ = root.Remove(temp) // if this fails, a later OpenFolder removes it
	if errors.Is(err, fs.ErrExist) {
		err = ErrExists
	}
	return Failed("put", name, err)
}

// writeTemp writes and syncs the blob under a temporary name.
func writeTemp(root *os.Root, temp string, blob []byte) error {
	if err := root.MkdirAll(tempDir, 0o700); err != nil {
		return err
	}
	file, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(blob)
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// publish links the complete blob under its name. It syncs the directory, and
// those that it created, so that the name survives a power cut.
func publish(root *os.Root, temp, name string) error {
	dir := path.Dir(name)
	if err := root.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := root.Link(temp, name); err != nil {
		return err
	}
	for {
		if err := syncDir(root, dir); err != nil {
			return err
		}
		if dir == "." {
			return nil
		}
		dir = path.Dir(dir)
	}
}

func syncDir(root *os.Root, dir string) error {
	d, err := root.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Get implements [Bucket].
func (f *Folder) Get(ctx context.Context, name string) ([]byte, error) {
	if err := Begin(ctx, name); err != nil {
		return nil, err
	}
	blob, err := f.root().ReadFile(name)
	if absent(err) {
		err = ErrNotExist
	}
	if err != nil {
		return nil, Failed("get", name, err)
	}
	return blob, nil
}

// Delete implements [Bucket]. Directories stay, even when empty.
func (f *Folder) Delete(ctx context.Context, name string) error {
	if err := Begin(ctx, name); err != nil {
		return err
	}
	root := f.root()
	found, err := root.Lstat(name)
	if absent(err) || err == nil && found.IsDir() {
		return nil
	}
	if err == nil {
		err = root.Remove(name)
	}
	if absent(err) {
		return nil // another process was faster
	}
	if err == nil {
		err = syncDir(root, path.Dir(name))
	}
	return Failed("delete", name, err)
}

// absent reports whether err means that no blob has the name: nothing or a directory
// has it, or a blob has the name of its directory.
func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.EISDIR) || errors.Is(err, syscall.ENOTDIR)
}

// Walk implements [Bucket]. It omits files whose names are not valid blob names. It
// reads the directories before it yields the first blob.
func (f *Folder) Walk(ctx context.Context, prefix, after string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		entries, err := f.walk(ctx, prefix, after)
		if err != nil {
			yield(Entry{}, err)
			return
		}
		for _, entry := range entries {
			if !yield(entry, nil) {
				return
			}
		}
	}
}

func (f *Folder) walk(ctx context.Context, prefix, after string) ([]Entry, error) {
	within := path.Dir(prefix + "x") // the deepest directory that contains them all
	if within != "." && CheckName(within) != nil {
		return nil, nil // no name has this prefix
	}
	var entries []Entry
	err := fs.WalkDir(f.root().FS(), within, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // missing, or deleted meanwhile
		case err != nil:
			return err
		case entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && name != ".":
			return fs.SkipDir
		case entry.Type().IsRegular() && strings.HasPrefix(name, prefix) && name > after && CheckName(name) == nil:
			found, err := entry.Info()
			if errors.Is(err, fs.ErrNotExist) {
				return nil // deleted meanwhile
			}
			if err != nil {
				return err
			}
			entries = append(entries, Entry{Name: name, Time: found.ModTime(), Size: found.Size()})
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, fmt.Errorf("list blobs in %s: %w", filepath.Join(f.dir, within), err)
	}
	slices.SortFunc(entries, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	return entries, nil
}

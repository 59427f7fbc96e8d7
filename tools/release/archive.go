package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// archives writes an archive for each platform: what is needed to install by hand.
func (r *release) archives() error {
	for _, platform := range r.platforms {
		program, err := os.ReadFile(r.binary(platform))
		if err != nil {
			return err
		}
		top := r.name(platform)
		files := []file{{top + "/gamedex" + suffix(platform), 0o755, program}}
		for _, f := range r.files {
			files = append(files, file{top + "/" + f.name, f.mode, f.data})
		}
		if strings.HasPrefix(platform, "windows/") {
			err = writeZip(filepath.Join(r.out, top+".zip"), files, r.commit.time)
		} else {
			err = writeTarGz(filepath.Join(r.out, top+".tar.gz"), files, r.commit.time)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func writeTarGz(path string, files []file, at time.Time) error {
	raw, err := tarOf(files, at)
	if err != nil {
		return err
	}
	packed, err := gzipped(raw)
	if err != nil {
		return err
	}
	return os.WriteFile(path, packed, 0o644)
}

// tarOf returns files as a tar archive that belong to root.
func tarOf(files []file, at time.Time) ([]byte, error) {
	var raw bytes.Buffer
	w := tar.NewWriter(&raw)
	for _, f := range files {
		if err := writeEntry(w, f, at); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return raw.Bytes(), err
}

// writeEntry writes a file that belongs to root.
func writeEntry(w *tar.Writer, f file, at time.Time) error {
	head := &tar.Header{Typeflag: tar.TypeReg, Name: f.name, Mode: int64(f.mode), Size: int64(len(f.data)), ModTime: at, Format: tar.FormatUSTAR}
	if err := w.WriteHeader(head); err != nil {
		return err
	}
	_, err := w.Write(f.data)
	return err
}

func writeZip(path string, files []file, at time.Time) error {
	var packed bytes.Buffer
	w := zip.NewWriter(&packed)
	for _, f := range files {
		head := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: at}
		head.SetMode(f.mode)
		entry, err := w.CreateHeader(head)
		if err != nil {
			return err
		}
		if _, err := entry.Write(f.data); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile(path, packed.Bytes(), 0o644)
}

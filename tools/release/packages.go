package main

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm"
)

var (
	//go:embed scripts/postinstall.sh
	postInstall []byte
	//go:embed scripts/preremove.sh
	preRemove []byte
	//go:embed scripts/postremove.sh
	postRemove []byte
)

// packages writes a .deb and an .rpm for each Linux.
func (r *release) packages() error {
	for _, platform := range r.linux() {
		for _, format := range []string{"deb", "rpm"} {
			if err := r.pack(platform, format); err != nil {
				return err
			}
		}
	}
	return nil
}

// pack writes one package.
func (r *release) pack(platform, format string) error {
	info, err := r.packageInfo(platform)
	if err != nil {
		return err
	}
	if err := nfpm.PrepareForPackager(info, format); err != nil {
		return err
	}
	packager, err := nfpm.Get(format)
	if err != nil {
		return err
	}
	var packed bytes.Buffer
	info.Target = filepath.Join(r.out, packager.ConventionalFileName(info))
	if err := packager.Package(info, &packed); err != nil {
		return err
	}
	return os.WriteFile(info.Target, packed.Bytes(), 0o644)
}

func (r *release) packageInfo(platform string) (*nfpm.Info, error) {
	content, err := r.contents(platform)
	if err != nil {
		return nil, err
	}
	info := &nfpm.Info{
		Name: "gamedex", Version: r.version, Platform: "linux", Arch: strings.TrimPrefix(platform, "linux/"),
		Section: "web", Priority: "optional", License: "Apache-2.0", Maintainer: r.maintainer,
		Description: "game prices of two stores in every country, as an HTTP API\nStores what game stores list and serves it as JSON, with a dashboard.",
		MTime:       r.commit.time,
	}
	info.Contents, info.Recommends = content, []string{"ca-certificates"}
	info.RPM.BuildHost, info.RPM.Compression = "localhost", "gzip:9"
	for name, script := range map[string]struct {
		text []byte
		path *string
	}{
		"postinstall": {postInstall, &info.Scripts.PostInstall}, "preremove": {preRemove, &info.Scripts.PreRemove}, "postremove": {postRemove, &info.Scripts.PostRemove},
	} {
		if *script.path, err = r.staged(name, script.text); err != nil {
			return nil, err
		}
	}
	return nfpm.WithDefaults(info), nil
}

// contents returns the files of a package and where they are installed.
func (r *release) contents(platform string) (files.Contents, error) {
	manual, err := gzipped(r.delivered("gamedex.1"))
	if err != nil {
		return nil, err
	}
	unit := bytes.ReplaceAll(r.delivered("gamedex.service"), []byte("/usr/local/bin/"), []byte("/usr/bin/"))
	unit = bytes.ReplaceAll(unit, []byte("/etc/systemd/system/"), []byte("/usr/lib/systemd/system/"))
	all := files.Contents{r.installed(r.binary(platform), "/usr/bin/gamedex", 0o755)}
	for to, data := range map[string][]byte{
		"/etc/gamedex.env": r.delivered("gamedex.env"), "/usr/lib/systemd/system/gamedex.service": unit,
		"/usr/share/man/man1/gamedex.1.gz":                  manual,
		"/usr/share/bash-completion/completions/gamedex":    r.delivered("completions/gamedex.bash"),
		"/usr/share/zsh/vendor-completions/_gamedex":        r.delivered("completions/_gamedex"),
		"/usr/share/fish/vendor_completions.d/gamedex.fish": r.delivered("completions/gamedex.fish"),
		"/usr/share/doc/gamedex/copyright":                  r.delivered("LICENSE"),
		"/usr/share/doc/gamedex/THIRD-PARTY-NOTICES":        r.delivered("THIRD-PARTY-NOTICES"),
		"/usr/share/doc/gamedex/CHANGELOG.md":               r.delivered("CHANGELOG.md"),
	} {
		path, err := r.staged(strings.ReplaceAll(to, "/", "_"), data)
		if err != nil {
			return nil, err
		}
		all = append(all, r.installed(path, to, 0o644))
	}
	for _, c := range all {
		if c.Destination == "/etc/gamedex.env" { // may hold secrets, and belongs to the operator
			c.Type, c.FileInfo.Mode = files.TypeConfigNoReplace, 0o600
		}
	}
	return all, nil
}

func (r *release) installed(from, to string, mode fs.FileMode) *files.Content {
	return &files.Content{Source: from, Destination: to, FileInfo: &files.ContentFileInfo{Owner: "root", Group: "root", Mode: mode, MTime: r.commit.time}}
}

// staged writes a file that the packager reads.
func (r *release) staged(name string, data []byte) (string, error) {
	path := filepath.Join(r.work, "staged", name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	return path, os.WriteFile(path, data, 0o644)
}

func gzipped(data []byte) ([]byte, error) {
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(data); err != nil {
		return nil, err
	}
	err = z.Close()
	return packed.Bytes(), err
}

package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// build builds the program for each platform, and checks that it has the version.
func (r *release) build() error {
	for _, platform := range r.platforms {
		if err := r.compile(platform, r.binary(platform)); err != nil {
			return err
		}
	}
	if !slices.Contains(r.platforms, host) {
		if err := r.compile(host, r.hostBinary()); err != nil {
			return err
		}
	}
	has, err := output("", nil, r.hostBinary(), "version")
	if err != nil {
		return err
	}
	if has != r.version {
		return fmt.Errorf("the program has version %s, not %s; the version is in cmd/gamedex/version.go and CHANGELOG.md", has, r.version)
	}
	return nil
}

// hostBinary returns the path of the program for this machine.
func (r *release) hostBinary() string {
	if slices.Contains(r.platforms, host) {
		return r.binary(host)
	}
	return filepath.Join(r.work, "gamedex"+suffix(host))
}

// compile builds a static program. The settings of the machine's Go that would change
// its bytes are set here.
func (r *release) compile(platform, path string) error {
	fmt.Println("release: building", platform)
	goos, goarch, ok := strings.Cut(platform, "/")
	if !ok {
		return fmt.Errorf("platform %q: must be a system and a processor, for example linux/amd64", platform)
	}
	env := []string{
		"GOOS=" + goos, "GOARCH=" + goarch, "GOAMD64=v1", "GOARM64=v8.0", "CGO_ENABLED=0",
		"GOFLAGS=-mod=readonly", "GOEXPERIMENT=", "GOFIPS140=off", "GOWORK=off",
	}
	_, err := output(r.source(""), env, "go", "build", "-trimpath", "-buildvcs=true", "-ldflags=-s -w", "-o", path, "./cmd/gamedex")
	return err
}

// file is a file of an archive.
type file struct {
	name string
	mode fs.FileMode
	data []byte
}

// describe collects the files that are delivered beside the program. What the program
// knows about itself, it prints.
func (r *release) describe() error {
	for name, path := range map[string]string{
		"LICENSE": "LICENSE", "CHANGELOG.md": "CHANGELOG.md", "gamedex.service": "packaging/gamedex.service", "gamedex.env": "packaging/gamedex.env",
	} {
		data, err := os.ReadFile(r.source(path))
		if err != nil {
			return err
		}
		r.files = append(r.files, file{name, 0o644, data})
	}
	for name, command := range map[string]string{
		"THIRD-PARTY-NOTICES": "licenses", "gamedex.1": "man",
		"completions/gamedex.bash": "completion bash", "completions/_gamedex": "completion zsh", "completions/gamedex.fish": "completion fish",
	} {
		text, err := output("", nil, r.hostBinary(), strings.Fields(command)...)
		if err != nil {
			return err
		}
		r.files = append(r.files, file{name, 0o644, []byte(text + "\n")})
	}
	slices.SortFunc(r.files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	return nil
}

// delivered returns what one of the files contains.
func (r *release) delivered(name string) []byte {
	for _, f := range r.files {
		if f.name == name {
			return f.data
		}
	}
	panic("no file " + name)
}

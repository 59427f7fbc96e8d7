package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// sumsFile has the checksums of all other files of a release.
const sumsFile = "SHA256SUMS"

// namespace says what the signature is for: a signature of the same key for something
// else does not verify.
const namespace = "gamedex-release"

// materials writes, for each binary, the list of all modules in it, in the CycloneDX
// format. Serial numbers and times would differ each time.
func (r *release) materials() error {
	// The list has a hash of the tool, which must not depend on this machine.
	env := []string{"CGO_ENABLED=0", "GOAMD64=v1", "GOARM64=v8.0", "GOFLAGS=-trimpath", "GOEXPERIMENT=", "GOWORK=off"}
	for _, platform := range r.platforms {
		path := filepath.Join(r.out, r.name(platform)+".cdx.json")
		_, err := output(r.source("tools/release"), env, "go", "tool", "cyclonedx-gomod", "bin",
			"-json", "-std", "-noserial", "-notimestamp", "-version", "v"+r.version, "-output", path, r.binary(platform))
		if err != nil {
			return err
		}
	}
	return nil
}

// sums writes the checksums of all files, in the form that sha256sum reads.
func (r *release) sums() error {
	entries, err := os.ReadDir(r.out)
	if err != nil {
		return err
	}
	var text strings.Builder
	for _, entry := range entries {
		data, err := os.ReadFile(filepath.Join(r.out, entry.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "%x  %s\n", sha256.Sum256(data), entry.Name())
	}
	return os.WriteFile(filepath.Join(r.out, sumsFile), []byte(text.String()), 0o644)
}

// sign signs the checksums with an SSH key.
func (r *release) sign(key string) error {
	if key == "" {
		fmt.Println("release: not signed; GAMEDEX_SIGNING_KEY names the SSH key of the maintainer")
		return nil
	}
	_, err := output("", nil, "ssh-keygen", "-q", "-Y", "sign", "-n", namespace, "-f", key, filepath.Join(r.out, sumsFile))
	return err
}

package main

import (
	"bytes"
	"crypto/x509"
	"encoding/json"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
)

// TestRelease makes a release of the last commit for this machine and looks at its files.
func TestRelease(t *testing.T) {
	if host != "linux/amd64" {
		t.Skip("on linux/amd64 only: it looks into the package for Debian")
	}
	site, key, version := t.TempDir(), filepath.Join(t.TempDir(), "key"), versionOf(t)
	dist := filepath.Join(site, version)
	command(t, "", "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key)
	made := &release{version: version, out: dist, platforms: []string{host}, maintainer: "Ann Lee <ann@example.org>"}
	if err := made.run(key); err != nil {
		t.Fatal(err)
	}
	name := "gamedex_" + version
	t.Run("sums and signature", func(t *testing.T) { verify(t, dist, key) })
	t.Run("archive", func(t *testing.T) {
		listed := command(t, dist, "tar", "-tzf", name+"_linux_amd64.tar.gz")
		for _, file := range []string{"gamedex", "LICENSE", "THIRD-PARTY-NOTICES", "gamedex.1", "completions/gamedex.bash", "completions/_gamedex", "completions/gamedex.fish", "gamedex.service", "gamedex.env"} {
			if !strings.Contains(listed, name+"_linux_amd64/"+file+"\n") {
				t.Errorf("the archive lacks %s", file)
			}
		}
	})
	t.Run("package", func(t *testing.T) {
		root := t.TempDir()
		command(t, dist, "dpkg-deb", "-x", name+"_amd64.deb", root)
		if got := command(t, "", filepath.Join(root, "usr/bin/gamedex"), "version"); got != version+"\n" {
			t.Errorf("the program has version %q", got)
		}
		unit, err := os.ReadFile(filepath.Join(root, "usr/lib/systemd/system/gamedex.service"))
		if err != nil || !bytes.Contains(unit, []byte("ExecStart=/usr/bin/gamedex serve\n")) || bytes.Contains(unit, []byte("/usr/local")) {
			t.Errorf("unit: %v\n%s", err, unit)
		}
		if got := command(t, dist, "dpkg-deb", "-f", name+"_amd64.deb", "Maintainer"); got != made.maintainer+"\n" {
			t.Errorf("the maintainer is %q", got)
		}
		if settings, err := os.Stat(filepath.Join(root, "etc/gamedex.env")); err != nil || settings.Mode().Perm() != 0o600 {
			t.Errorf("settings: %v %v", settings, err)
		}
	})
	t.Run("image", func(t *testing.T) { checkImage(t, filepath.Join(dist, name+"_oci.tar")) })
	t.Run("materials", func(t *testing.T) {
		data, err := os.ReadFile(filepath.Join(dist, name+"_linux_amd64.cdx.json"))
		if err != nil || !bytes.Contains(data, []byte("modernc.org/sqlite")) || bytes.Contains(data, []byte("serialNumber")) || !json.Valid(data) {
			t.Errorf("%v: %.300s", err, data)
		}
	})
	t.Run("installed", func(t *testing.T) {
		m := newMachine(t, site)
		older := layOut(t, made, site)
		t.Run("package without systemd", func(t *testing.T) { testPackage(t, m, older, version) })
		t.Run("page", func(t *testing.T) { testInstallPage(t, m, key, older, version) })
	})
}

// verify checks the sums as users do, and that a changed file of sums does not verify.
func verify(t *testing.T, dist, key string) {
	command(t, dist, "sha256sum", "--check", "--strict", sumsFile)
	public, err := os.ReadFile(key + ".pub")
	if err != nil {
		t.Fatal(err)
	}
	signers := filepath.Join(t.TempDir(), "signers")
	if err := os.WriteFile(signers, append([]byte("release "), public...), 0o644); err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(dist, sumsFile))
	if err != nil {
		t.Fatal(err)
	}
	for text, good := range map[string]bool{string(sums): true, string(sums) + "\n": false} {
		check := exec.Command("ssh-keygen", "-Y", "verify", "-f", signers, "-I", "release", "-n", namespace, "-s", filepath.Join(dist, sumsFile+".sig"))
		check.Stdin = strings.NewReader(text)
		if out, err := check.CombinedOutput(); (err == nil) != good {
			t.Errorf("verified: %v, want %v: %s", err == nil, good, out)
		}
	}
}

// checkImage compares the image with the Dockerfile, and reads its authorities.
func checkImage(t *testing.T, path string) {
	folder := t.TempDir()
	command(t, "", "tar", "-xf", path, "-C", folder)
	image := imageIn(t, folder)
	config, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	dockerfile, err := os.ReadFile("../../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	var settings []string
	for line := range strings.Lines(string(dockerfile)) {
		if env, ok := strings.CutPrefix(line, "ENV "); ok {
			settings = append(settings, strings.Fields(env)...)
		}
	}
	if !slices.Equal(config.Config.Env, settings) {
		t.Errorf("the image sets %q, the Dockerfile %q", config.Config.Env, settings)
	}
	for instruction, value := range map[string]string{
		"USER": config.Config.User, "EXPOSE": ports(config.Config.ExposedPorts), "VOLUME": strings.Join(slices.Sorted(maps.Keys(config.Config.Volumes)), " "),
		"ENTRYPOINT": quoted(t, config.Config.Entrypoint), "CMD": quoted(t, config.Config.Cmd),
	} {
		if !bytes.Contains(dockerfile, []byte("\n"+instruction+" "+value+"\n")) {
			t.Errorf("the image has %s %s, which is not in the Dockerfile", instruction, value)
		}
	}
	root := t.TempDir()
	unpack := exec.Command("tar", "-x", "-C", root)
	content := mutate.Extract(image)
	defer content.Close()
	unpack.Stdin = io.Reader(content)
	if out, err := unpack.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	authorities, err := os.ReadFile(filepath.Join(root, "etc/ssl/certs/ca-certificates.crt"))
	if err != nil || !x509.NewCertPool().AppendCertsFromPEM(authorities) {
		t.Errorf("authorities: %v", err)
	}
}

// ports returns ports as the Dockerfile writes those of TCP.
func ports(exposed map[string]struct{}) string {
	return strings.ReplaceAll(strings.Join(slices.Sorted(maps.Keys(exposed)), " "), "/tcp", "")
}

// quoted returns a command as the Dockerfile writes it.
func quoted(t *testing.T, command []string) string {
	t.Helper()
	text, err := json.Marshal(command)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(text), ",", ", ")
}

// imageIn returns the only image of a folder with an index of images.
func imageIn(t *testing.T, folder string) v1.Image {
	t.Helper()
	outer, err := layout.ImageIndexFromPath(folder)
	if err != nil {
		t.Fatal(err)
	}
	names, err := outer.IndexManifest()
	if err != nil || len(names.Manifests) != 1 {
		t.Fatalf("%v: %+v", err, names)
	}
	index, err := outer.ImageIndex(names.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	images, err := index.IndexManifest()
	if err != nil || len(images.Manifests) != 1 {
		t.Fatalf("%v: %+v", err, images)
	}
	image, err := index.Image(images.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	return image
}

// TestMaintainer checks which maintainers packages may name.
func TestMaintainer(t *testing.T) {
	for given, want := range map[string]string{
		"": "Bo Ek <bo@example.org>", "Ann Lee <ann@example.org>": "Ann Lee <ann@example.org>", "ann@example.org": "", "Ann Lee": "", "Ann <ann>": "",
		"Ann\nDepends: x <ann@example.org>": "",
	} {
		r := &release{maintainer: given, commit: commit{author: "Bo Ek <bo@example.org>"}}
		err := r.named()
		if want == "" && (err == nil || !strings.Contains(err.Error(), "must be a name and an address")) {
			t.Errorf("%q: %v", given, err)
		}
		if want != "" && (err != nil || r.maintainer != want) {
			t.Errorf("%q: %q, %v, want %q", given, r.maintainer, err, want)
		}
	}
}

// TestRefusedFolder checks that a folder with other files is kept.
func TestRefusedFolder(t *testing.T) {
	dir := t.TempDir()
	mine := filepath.Join(dir, "mine.txt")
	if err := os.WriteFile(mine, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := (&release{out: dir}).clear(); err == nil || !strings.Contains(err.Error(), "no SHA256SUMS") {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(mine); err != nil {
		t.Error(err)
	}
}

// versionOf returns the version that the program has.
func versionOf(t *testing.T) string {
	t.Helper()
	source, err := os.ReadFile("../../cmd/gamedex/version.go")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(source), "\nconst version = \"")
	version, _, _ := strings.Cut(rest, "\"")
	return version
}

func command(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v: %s", name, args, err, out)
	}
	return string(out)
}

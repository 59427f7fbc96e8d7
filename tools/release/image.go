package main

import (
	"archive/tar"
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// nobody is the user and group of the image.
const nobody = 65532

// image writes the image of all Linux platforms as one tar archive in the layout of the
// Open Container Initiative.
func (r *release) image() error {
	if len(r.linux()) == 0 {
		return nil
	}
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, platform := range r.linux() {
		image, err := r.imageOf(platform)
		if err != nil {
			return err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{
			Platform: &v1.Platform{OS: "linux", Architecture: strings.TrimPrefix(platform, "linux/")},
		}})
	}
	folder := filepath.Join(r.work, "image")
	path, err := layout.Write(folder, empty.Index)
	if err != nil {
		return err
	}
	name := "gamedex:" + r.version
	named := layout.WithAnnotations(map[string]string{
		"org.opencontainers.image.ref.name": name,                        // Podman
		"io.containerd.image.name":          "docker.io/library/" + name, // containerd and Docker
	})
	if err := path.AppendIndex(index, named); err != nil {
		return err
	}
	return writeFolder(filepath.Join(r.out, "gamedex_"+r.version+"_oci.tar"), folder, r.commit.time)
}

// imageOf returns the image of one platform: the program and what it needs.
func (r *release) imageOf(platform string) (v1.Image, error) {
	raw, err := r.layer(platform)
	if err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(raw)), nil },
		tarball.WithMediaType(types.OCILayer), tarball.WithCompressedCaching)
	if err != nil {
		return nil, err
	}
	image, err := mutate.AppendLayers(mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON), layer)
	if err != nil {
		return nil, err
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Created = "linux", strings.TrimPrefix(platform, "linux/"), v1.Time{Time: r.commit.time}
	config.History = []v1.History{{Created: v1.Time{Time: r.commit.time}, CreatedBy: "make release"}}
	config.Config = r.imageConfig()
	return mutate.ConfigFile(image, config)
}

// imageConfig says how containers run. It is the same as in the Dockerfile.
func (r *release) imageConfig() v1.Config {
	return v1.Config{
		User: fmt.Sprintf("%d:%[1]d", nobody), Entrypoint: []string{"/gamedex"}, Cmd: []string{"serve"}, WorkingDir: "/",
		Env:          []string{"GAMEDEX_DATA_DIR=/data", "GAMEDEX_ADDR=0.0.0.0:8080", "GAMEDEX_OPS_ADDR=0.0.0.0:8081", "GAMEDEX_DRAIN=5s"},
		ExposedPorts: map[string]struct{}{"8080/tcp": {}}, Volumes: map[string]struct{}{"/data": {}},
		Labels: map[string]string{
			"org.opencontainers.image.title": "gamedex", "org.opencontainers.image.version": r.version,
			"org.opencontainers.image.revision": r.commit.id, "org.opencontainers.image.licenses": "Apache-2.0",
		},
	}
}

// layer returns the files of the image as a tar archive.
func (r *release) layer(platform string) ([]byte, error) {
	program, err := os.ReadFile(r.binary(platform))
	if err != nil {
		return nil, err
	}
	authorities, err := rootCertificates()
	if err != nil {
		return nil, err
	}
	var raw bytes.Buffer
	w := tar.NewWriter(&raw)
	folder := &tar.Header{Typeflag: tar.TypeDir, Name: "data/", Mode: 0o700, Uid: nobody, Gid: nobody, ModTime: r.commit.time, Format: tar.FormatUSTAR}
	if err := w.WriteHeader(folder); err != nil {
		return nil, err
	}
	for _, f := range []file{
		{"gamedex", 0o755, program}, {"etc/ssl/certs/ca-certificates.crt", 0o644, authorities},
		{"usr/share/doc/gamedex/LICENSE", 0o644, r.delivered("LICENSE")},
		{"usr/share/doc/gamedex/THIRD-PARTY-NOTICES", 0o644, r.delivered("THIRD-PARTY-NOTICES")},
	} {
		if err := writeEntry(w, f, r.commit.time); err != nil {
			return nil, err
		}
	}
	err = w.Close()
	return raw.Bytes(), err
}

// rootCertificates returns the authorities that Mozilla's program trusts without a
// constraint, which a file could not express.
func rootCertificates() ([]byte, error) {
	var text bytes.Buffer
	text.WriteString("# Authorities that the Mozilla CA Certificate Program trusts (Mozilla Public License 2.0)\n")
	for root := range bundle.Roots() {
		if root.Constraint != nil {
			continue
		}
		certificate, err := x509.ParseCertificate(root.Certificate)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&text, "\n# %s\n", certificate.Subject)
		if err := pem.Encode(&text, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}); err != nil {
			return nil, err
		}
	}
	return text.Bytes(), nil
}

// writeFolder writes a folder as a tar archive. WalkDir lists the files in one order.
func writeFolder(path, folder string, at time.Time) error {
	var files []file
	err := filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		name, err = filepath.Rel(folder, name)
		files = append(files, file{filepath.ToSlash(name), 0o644, data})
		return err
	})
	if err != nil {
		return err
	}
	raw, err := tarOf(files, at)
	if err != nil {
		return err
	}
	return os.WriteFile(path, raw, 0o644)
}

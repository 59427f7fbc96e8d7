// Command release writes the files of a release into a folder: binaries, archives,
// packages for Debian and RPM systems, an image for containers, a bill of materials for
// each binary, and the checksums of all, signed if there is a key. It builds the last
// commit, in a copy of its own: changes that are not committed are left out. The same
// commit gives the same bytes with the same Go, signatures excepted.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
)

// platforms are the systems that releases are built for.
const platforms = "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64,windows/arm64"

func main() {
	version := flag.String("version", "", "version of the release; must be that of the program")
	out := flag.String("out", "dist", "folder to write; it must not exist, be empty or hold a release")
	list := flag.String("platforms", platforms, "systems to build for")
	key := flag.String("key", os.Getenv("GAMEDEX_SIGNING_KEY"), "SSH key that signs the checksums (default: $GAMEDEX_SIGNING_KEY)")
	maintainer := flag.String("maintainer", "", "maintainer that the packages name, as NAME <ADDRESS> (default: the author of the commit)")
	flag.Parse()
	r := &release{version: *version, out: *out, platforms: strings.Split(*list, ","), maintainer: *maintainer}
	if err := r.run(*key); err != nil {
		fmt.Fprintf(os.Stderr, "release: %v\n", err)
		os.Exit(1)
	}
}

// run makes a release of the checkout that it is started in.
func (r *release) run(key string) error {
	if r.version == "" {
		return errors.New("which version? For example: make release VERSION=0.3.0")
	}
	var err error
	if r.out, err = filepath.Abs(r.out); err != nil {
		return err
	}
	if r.work, err = os.MkdirTemp("", "release-"); err != nil {
		return err
	}
	defer os.RemoveAll(r.work)
	for _, step := range []func() error{r.checkout, r.named, r.clear, r.build, r.describe, r.archives, r.packages, r.image, r.materials, r.sums} {
		if err := step(); err != nil {
			return err
		}
	}
	return r.sign(key)
}

// release is one release in the making.
type release struct {
	version    string
	out, work  string
	platforms  []string // such as linux/amd64
	maintainer string   // of packages: name <address>

	commit commit
	files  []file // of each archive, besides the program
}

// named makes sure that packages can name a maintainer. The author of the commit is the
// same for everyone who builds it.
func (r *release) named() error {
	if r.maintainer == "" {
		r.maintainer = r.commit.author
	}
	if !regexp.MustCompile(`^[^<>\n]+ <[^<>@\s]+@[^<>@\s]+>$`).MatchString(r.maintainer) {
		return fmt.Errorf("maintainer %q: must be a name and an address, for example: Ann Lee <ann@example.org>", r.maintainer)
	}
	return nil
}

// binary returns the path of the program for a platform.
func (r *release) binary(platform string) string {
	return filepath.Join(r.out, r.name(platform)+suffix(platform))
}

// name returns what the names of a platform's files begin with.
func (r *release) name(platform string) string {
	return "gamedex_" + r.version + "_" + strings.ReplaceAll(platform, "/", "_")
}

// suffix returns what follows the name of a program.
func suffix(platform string) string {
	if strings.HasPrefix(platform, "windows/") {
		return ".exe"
	}
	return ""
}

// linux returns the platforms that packages and the image are made for.
func (r *release) linux() []string {
	var found []string
	for _, platform := range r.platforms {
		if strings.HasPrefix(platform, "linux/") {
			found = append(found, platform)
		}
	}
	return found
}

// host is the platform of this machine.
const host = runtime.GOOS + "/" + runtime.GOARCH

// clear makes the folder empty. It deletes nothing but an earlier release.
func (r *release) clear() error {
	entries, err := os.ReadDir(r.out)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if len(entries) > 0 {
		if _, err := os.Stat(filepath.Join(r.out, sumsFile)); err != nil {
			return fmt.Errorf("%s has files, but no %s: it is no release, and is not replaced", r.out, sumsFile)
		}
		if err := os.RemoveAll(r.out); err != nil {
			return err
		}
	}
	return os.MkdirAll(r.out, 0o755)
}

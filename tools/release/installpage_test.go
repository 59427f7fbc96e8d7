package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// commandsOf returns the shell commands of a page of doc/ under each heading, block by block.
func commandsOf(t *testing.T, page string) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("../../doc/" + page)
	if err != nil {
		t.Fatal(err)
	}
	found, heading := map[string][]string{}, ""
	for _, part := range regexp.MustCompile("(?ms)^#+ .*?$|^```sh\n.*?^```$").FindAllString(string(text), -1) {
		if strings.HasPrefix(part, "#") {
			heading = part
			continue
		}
		found[heading] = append(found[heading], strings.TrimSuffix(strings.TrimPrefix(part, "```sh\n"), "```"))
	}
	return found
}

// pageWalk has the commands of the install page, and those of the pages to which it leads. A
// folder takes the place of the site of the releases; everything else is real.
type pageWalk struct {
	t       *testing.T
	install map[string][]string
	backup  map[string][]string
	upgrade map[string][]string
	used    map[string]bool   // blocks of the install page
	values  map[string]string // of what readers have to choose
}

// block returns the nth block of commands under a heading of the install page.
func (w pageWalk) block(heading string, n int) string {
	w.t.Helper()
	blocks := w.install[heading]
	if n >= len(blocks) {
		w.t.Fatalf("the page has no block %d of commands under %q", n, heading)
	}
	w.used[blocks[n]] = true
	return regexp.MustCompile(`(?m)^(RELEASES|VERSION|FILE|SIGNER)=.*$`).ReplaceAllStringFunc(blocks[n], func(line string) string {
		name, _, _ := strings.Cut(line, "=")
		return name + "='" + w.values[name] + "'"
	})
}

// under returns the commands under headings of a page of operations.
func (w pageWalk) under(page map[string][]string, headings ...string) (text string) {
	w.t.Helper()
	for _, heading := range headings {
		if len(page[heading]) != 1 {
			w.t.Fatalf("there are %d blocks of commands under %q", len(page[heading]), heading)
		}
		text += page[heading][0]
	}
	return text
}

// download returns the commands that download and verify a file.
func (w pageWalk) download(file string) string {
	w.values["FILE"] = file
	text := "mkdir -p /root/downloads; cd /root/downloads\n"
	for _, heading := range []string{"## 1. Download", "## 2. Verify"} {
		text += w.block(heading, 0) + w.block(heading, 1)
	}
	return text
}

// The headings that several walks use, and the price that the page imports.
const (
	fromSource                         = "# Install and verify"
	aPackage, anArchive, anImage       = "### A package", "### An archive", "### An image"
	start, firstPrice, remove          = "## 4. Start", "## 5. The first price", "## 7. Remove"
	oldArchive, olderPackage, oldImage = "### An older archive, or 0.1.0", "### An older package", "### An older image"
	thePrice                           = `"currentText":"$37.49"`
)

// testInstallPage walks through the install page in Debian, on every way that it shows, with
// the page's own commands.
func testInstallPage(t *testing.T, m machine, key, older, version string) {
	w := pageWalk{t, commandsOf(t, "install.md"), commandsOf(t, "operations/backup.md"), commandsOf(t, "operations/upgrade.md"), map[string]bool{}, map[string]string{
		"RELEASES": "file:///site", "VERSION": version, "SIGNER": publicKey(t, key),
	}}
	walk := func(name, want string, commands ...string) {
		t.Run(name, func(t *testing.T) {
			script := strings.NewReplacer("OLDER", older, "NEWER", version).Replace(prepared) + strings.Join(commands, "")
			if said := m.boot(t, script); !strings.Contains(said, want) {
				t.Errorf("the commands print no %s, but:\n%s", want, said)
			}
		})
	}
	deb, archive, image := "gamedex_"+version+"_amd64.deb", "gamedex_"+version+"_linux_amd64.tar.gz", "gamedex_"+version+"_oci.tar"
	const variables = "# Backup and restore"
	backup, restore := w.under(w.backup, variables, "## Backup"), w.under(w.backup, variables, "## Restore")
	started, priced := w.block(start, 0), w.block(firstPrice, 0)+w.block(firstPrice, 1)
	walk("source", thePrice, made, w.block(fromSource, 0), verified, priced, restarted)
	walk("Debian package", thePrice, w.download(deb), w.block(aPackage, 0), verified, started, priced, restarted, w.block(remove, 0), purged)
	walk("RPM package", thePrice, w.download("gamedex-"+version+"-1.x86_64.rpm"), w.block(aPackage, 1), started, priced, "rpm -e gamedex\n", removed)
	walk("archive", thePrice, w.download(archive), w.block(anArchive, 0), started, priced, restarted)
	walk("image", thePrice, w.download(image), w.block(anImage, 0), w.block(anImage, 1), started, listening, w.block(firstPrice, 2), w.block(firstPrice, 1), contained, demo,
		w.block(remove, 1), "podman volume exists gamedex; test -z \"$(podman images -q)\"\n")
	walk("archive instead of 0.1.0, and back", "the same answers", oldProgram, w.download(archive), unpacked,
		backup, w.under(w.upgrade, "## Upgrade"), newAnswers, w.under(w.backup, variables), w.under(w.upgrade, "## Rollback"), restore, oldAnswers)
	walk("package instead of 0.1.0", "new answers", oldProgram, w.download(deb), backup, w.block(oldArchive, 0), newAnswers)
	walk("package instead of an older one, and back", "the same answers", oldPackage, w.download(deb), backup, w.block(olderPackage, 0),
		newAnswers, w.block(olderPackage, 1), restore, oldAnswers)
	unit := strings.ReplaceAll(w.block(anImage, 1), "$VERSION", "$OLD")
	walk("image instead of an older one, and back", "the same answers", oldContainer, unit, begun, w.download(image), w.block(oldImage, 0), newAnswers,
		w.block(oldImage, 1), oldAnswers)
	walk("changed download", "nothing to install", changed(w.download(archive)))
	for heading, blocks := range w.install {
		for n, block := range blocks {
			if !w.used[block] {
				t.Errorf("no walk uses block %d of commands under %q", n, heading)
			}
		}
	}
}

// publicKey returns the public half of an SSH key.
func publicKey(t *testing.T, key string) string {
	t.Helper()
	public, err := os.ReadFile(key + ".pub")
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(public))
}

// prepared begins each walk. It defines what the walks between two versions need: an answer
// of the service, and the version that it runs.
const prepared = `
trap 'test $? = 0 || journalctl --no-pager -u gamedex | tail -n 50' EXIT
OLD=OLDER NEW=NEWER
answer() {
	curl -fsS --retry 300 --retry-delay 1 --retry-all-errors -H "Authorization: Bearer $(cat /site/$OLD/key)" 'http://127.0.0.1:8080/api/v1/catalog/search?q=star&limit=3' 2>/dev/null
}
data() { answer | sed 's/"meta":.*//'; }
runs() { answer >/dev/null && curl -fsS http://127.0.0.1:8080/api/v1/health | grep -F "\"version\":\"$1\""; }
begin() {
	systemctl start gamedex
	runs $OLD
	data >/root/answers
	grep -q star-forge /root/answers
}
recorded() { # FOLDER
	mkdir -p -m 700 "$1"
	cp -r /site/$OLD/data/. "$1"
}
`

// The steps between the commands of the page.
const (
	oldProgram = `
install -m 755 /site/$OLD/gamedex /usr/local/bin/gamedex
install -m 644 /site/$OLD/gamedex.service /etc/systemd/system/gamedex.service
systemctl daemon-reload
recorded /var/lib/private/gamedex
begin
`
	oldPackage = `
mkdir /root/downloads
cp /site/$OLD/gamedex_${OLD}_amd64.deb /root/downloads
apt-get install -y /root/downloads/gamedex_${OLD}_amd64.deb
recorded /var/lib/private/gamedex
begin
`
	oldContainer = `
podman load -i /site/$OLD/gamedex_${OLD}_oci.tar
podman volume create gamedex
recorded /var/lib/containers/storage/volumes/gamedex/_data
chown -R 65532:65532 /var/lib/containers/storage/volumes/gamedex/_data
`
	// layOut has run `make install` for a folder in place of /, because Debian has no Go here.
	made = `
make() { test "$1" = build || { cp -r --preserve=mode /site/source/. / && systemctl daemon-reload; }; }
`
	begun     = "begin\n"
	unpacked  = "tar -xzf gamedex_${NEW}_linux_amd64.tar.gz; cd gamedex_${NEW}_linux_amd64\n"
	listening = "until curl -s http://127.0.0.1:8080/api/v1/health; do sleep 0.2; done\n"
	verified  = `
systemd-analyze verify --man=no gamedex.service >verified 2>&1
test ! -s verified || { cat verified; exit 1; }
`
	// The service can still read what the commands have created when it starts again.
	restarted = `
systemctl restart gamedex
curl -fsS --retry 300 --retry-delay 1 --retry-all-errors -H "Authorization: Bearer $KEY" "http://127.0.0.1:8080/api/v1/catalog/prices?ids=star-voyage&regions=US" 2>/dev/null | grep -F '$37.49'
`
	removed = "test ! -e /usr/bin/gamedex; test -e /var/lib/gamedex/gamedex.db\n"
	purged  = removed + "test ! -e /etc/gamedex.env\n"
	// The container runs as the user of the image, and writes only to /data.
	contained = `
PROCESS=$(podman inspect --format '{{.State.Pid}}' gamedex)
test "$(stat -c %u:%g /proc/$PROCESS)" = 65532:65532
podman exec gamedex /gamedex backup /data/backup.db
if podman exec gamedex /gamedex backup /backup.db 2>refusal; then exit 1; fi
cat refusal
grep -q 'read-only file system' refusal
`
	// The demo's account can sign in at a published port, over plain HTTP.
	demo = `
podman run -d --name demo --log-driver k8s-file -e GAMEDEX_RATES=off -p 127.0.0.1:9080:8080 gamedex:$NEW serve --demo
until podman logs demo | grep '^  password '; do podman inspect demo | grep '"Running": true'; sleep 0.2; done
said() { podman logs demo | sed -n "s/^  $1  *//p"; }
curl -fsS --retry 300 --retry-delay 1 --retry-all-errors http://127.0.0.1:9080/api/v1/health
curl -fsS -c jar --data-urlencode "email=$(said email)" --data-urlencode "password=$(said password)" http://127.0.0.1:9080/en/signin
test "$(curl -fsS -b jar -o page -w '%{http_code}' http://127.0.0.1:9080/keys)" = 200
grep -F "$(said email)" page
podman rm --force demo
`
	newAnswers = "runs $NEW; data | grep -q star-forge; echo new answers\n"
	oldAnswers = "runs $OLD; data | cmp - /root/answers; echo the same answers\n"
)

// changed returns commands that download from a site that somebody has changed: once a
// file, and once the sums too.
func changed(download string) string {
	return `
cp -r /site /changed
cat >download <<'COMMANDS'
` + strings.ReplaceAll(download, "file:///site", "file:///changed") + `
COMMANDS
bash -eu download
echo changed >>/changed/$NEW/gamedex_${NEW}_linux_amd64.tar.gz
if bash -eu download; then exit 1; fi
cd /changed/$NEW
sha256sum gamedex_${NEW}_linux_amd64.tar.gz >SHA256SUMS
cd /root
if bash -eu download; then exit 1; fi
echo nothing to install
`
}

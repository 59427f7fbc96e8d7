package clidoc_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"gamedex/cmd/gamedex/clidoc"
)

// shop is a command line with everything that occurs in one.
type shop struct {
	Folder string `placeholder:"DIR" help:"Folder of the shop's files. It must exist."`
	Mode   string `default:"auto" enum:"auto,off" help:"How to work."`

	Sell struct {
		Fast bool     `help:"Don't wait: hurry."`
		File []string `arg:"" help:"What to sell."`
	} `cmd:"" help:"Sell 'things', for money."`
	Key struct {
		Create struct {
			Name string `placeholder:"NAME" required:"" help:"Name of the key."`
		} `cmd:"" help:"Create a key."`
		List struct{} `cmd:"" help:"List keys."`
	} `cmd:"" help:"Create and list keys."`
	Secret struct{} `cmd:"" hidden:"" help:"Not listed."`
}

func model(t *testing.T) *kong.Node {
	t.Helper()
	parser, err := kong.New(&shop{}, kong.Name("shop"), kong.Description("Sells things.\n\nStart here:\n\n\tshop sell FILE\n\n.profile has the rest."))
	if err != nil {
		t.Fatal(err)
	}
	return parser.Model.Node
}

// lines are command lines, and the candidates for their last token.
var lines = []struct {
	line string
	want []string
}{
	{"shop k", []string{"key"}},
	{"shop s", []string{"sell"}},
	{"shop key ", []string{"create", "list"}},
	{"shop key create --n", []string{"--name"}},
	{"shop --folder /tmp key cr", []string{"create"}},
	{"shop key list --n", nil},
	{"shop sell --f", []string{"--fast", "--folder"}},
	{"shop --mode ", []string{"auto", "off"}},
	{"shop --mode of", []string{"off"}},
}

// script writes a completion into a file.
func script(t *testing.T, shell, name string) string {
	t.Helper()
	if _, err := exec.LookPath(shell); err != nil {
		t.Skipf("%s is not installed (scripts/setup release installs it)", shell)
	}
	text := clidoc.Shells[shell](model(t))
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// check compares what a shell offers with what it should, flags of other commands
// excepted.
func check(t *testing.T, line string, want []string, offered []byte) {
	t.Helper()
	last := line[strings.LastIndex(line, " ")+1:]
	var got []string
	for token := range strings.FieldsSeq(string(offered)) {
		if strings.HasPrefix(token, last) && (last != "" || !strings.HasPrefix(token, "-")) {
			got = append(got, token)
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("%q is completed with %q, want %q", line, got, want)
	}
}

// TestBash completes tokens in bash.
func TestBash(t *testing.T) {
	file := script(t, "bash", "shop")
	for _, l := range lines {
		tokens := strings.Split(l.line, " ")
		run := `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _shop; printf '%s\n' "${COMPREPLY[@]}"`
		out, err := exec.Command("bash", append([]string{"-euc", run, "bash", file}, tokens...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("%q: %v: %s", l.line, err, out)
		}
		check(t, l.line, l.want, out)
	}
}

// TestZsh completes tokens in zsh. Its functions that show candidates print them here.
func TestZsh(t *testing.T) {
	file := script(t, "zsh", "_shop")
	for _, l := range lines {
		run := `compdef() {}; _files() {}; compadd() { shift; print -l -- "$@" }; _describe() { print -l -- "${items[@]%%:*}" }
			source "$1"; shift; words=("$@"); CURRENT=$#; _shop`
		out, err := exec.Command("zsh", append([]string{"-fc", run, "zsh", file}, strings.Split(l.line, " ")...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("%q: %v: %s", l.line, err, out)
		}
		check(t, l.line, l.want, out)
	}
}

// TestFish completes tokens in fish.
func TestFish(t *testing.T) {
	file := script(t, "fish", "shop.fish")
	for _, l := range lines {
		cmd := exec.Command("fish", "--no-config", "-c", `source $argv[1]; complete --do-complete $argv[2] | string replace -r '\t.*' ''; true`, file, l.line)
		cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
		cmd.Dir = t.TempDir() // no files to offer
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%q: %v: %s", l.line, err, out)
		}
		check(t, l.line, l.want, out)
	}
}

// TestMan checks what the man page says, and that it is correct roff.
func TestMan(t *testing.T) {
	page := clidoc.Man(model(t), "1.2.3")
	for _, part := range []string{"shop 1.2.3", `shop \- Sells things`, "\nshop sell FILE\n", `\&.profile`, "shop key create", `\fB\-\-name\fR \fINAME\fR`, `Don't wait: hurry.`} {
		if !strings.Contains(page, part) {
			t.Errorf("the page lacks %q:\n%s", part, page)
		}
	}
	if strings.Contains(page, "secret") {
		t.Error("the page has a hidden command")
	}
	if _, err := exec.LookPath("mandoc"); err != nil {
		t.Skip("mandoc is not installed (scripts/setup release installs it)")
	}
	lint := exec.Command("mandoc", "-T", "lint", "-W", "error")
	lint.Stdin = strings.NewReader(page)
	if out, err := lint.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

package main

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// TestTitlesToIDs runs the commands of doc/titles-to-ids.md against the demo, in one shell. It
// is skipped without curl and jq, unless GAMEDEX_CLIENTS=required.
func TestTitlesToIDs(t *testing.T) {
	t.Parallel()
	needPrograms(t, "sh", "curl", "jq")
	var script strings.Builder
	for _, block := range regexp.MustCompile("(?ms)^```sh\n(.*?)^```$").FindAllStringSubmatch(read(t, "../../doc/titles-to-ids.md"), -1) {
		script.WriteString(block[1])
	}
	u := sharedDemo.open(t).user(t)
	command := exec.Command("sh", "-ec", script.String())
	command.Dir, command.Env = t.TempDir(), append(os.Environ(), "KEY="+u.token, "API="+u.base+"/api/v1")
	var stderr strings.Builder
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%v: %s%s", err, out, &stderr)
	}
	for _, want := range []string{
		"ELDEN RING PS4 & PS5\tpcstore\tresolved\tedition\telden-ring\n",
		"God of War Ragnarök (EU)\tconsolestore\tambiguous\t", "Hades II Steam Key GLOBAL\tpcstore\tresolved\tedition\thades-ii\n", "Stray - Collector's Edition\tpcstore\tresolved\tedition\tstray\n",
		"RDR 2\tpcstore\tresolved\talias\tred-dead-redemption-2\n", "Detroit: Become Humna\tpcstore\tresolved\ttypo\tdetroit-become-human\n",
		"Half-Life 3\tconsolestore\tnot_found\t\t\nHalf-Life 3\tpcstore\tnot_found\t\t\n", "elden-ring\tELDEN RING\t",
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the commands do not print %q", want)
		}
	}
	if t.Failed() {
		t.Logf("%s", out)
	}
}

package harness_test

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"gamedex/bench/harness"
	"gamedex/internal/testing/await"
)

// TestCPUTimeCountsChildren checks that the CPU time of a server includes its
// workers. Here the server is a shell that waits for a busy child.
func TestCPUTimeCountsChildren(t *testing.T) {
	shell := exec.Command("sh", "-c", "while :; do :; done & echo; wait")
	shell.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := shell.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := shell.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		syscall.Kill(-shell.Process.Pid, syscall.SIGKILL)
		shell.Wait()
	}()
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	await.That(t, "CPU time of a child that is busy", func() bool {
		used, err := harness.CPUTime(shell.Process.Pid)
		if err != nil {
			t.Fatal(err)
		}
		return used >= 50*time.Millisecond
	})
}

func TestResident(t *testing.T) {
	before, err := harness.Resident(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	held := make([]byte, 64<<20)
	for i := 0; i < len(held); i += 4096 {
		held[i] = 1
	}
	after, err := harness.Resident(os.Getpid())
	if err != nil || after-before < 48<<20 {
		t.Errorf("64 MiB of new memory made the resident size grow by %d bytes; %v", after-before, err)
	}
	held[0] = 2
}

//go:build unix

package shared_test

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
	"time"

	"gamedex/internal/quota"
	"gamedex/internal/testing/await"
	"gamedex/internal/testing/enginetest"
)

// TestAStoppedNode stops this process while the server answers a call, for longer than calls
// wait. The node reads the answer when it runs again, and does not make the call once more.
func TestAStoppedNode(t *testing.T) {
	const stopped = 500 * time.Millisecond
	server := enginetest.NewRedis(t)
	network := newNetwork(t, server.Addr())
	s := openSilent(t, config(t, "redis://"+network.addr))
	l := quota.Limits{Minute: 10, Day: 10}
	take(t, s, "key", l)
	s.WaitFor(50*time.Millisecond, 50*time.Millisecond)
	network.fault.Store(int32(lateAnswer))

	resume := exec.CommandContext(t.Context(), "sh", "-c", `read -r _; while sleep "$2"; do kill -CONT "$1"; done`,
		"resume", strconv.Itoa(os.Getpid()), strconv.FormatFloat(stopped.Seconds(), 'f', 1, 64))
	stop, err := resume.StdinPipe()
	if err == nil {
		err = resume.Start()
	}
	must(t, err)
	t.Cleanup(func() { resume.Wait() }) // the context has killed it
	go func() {
		await.Progress(network.hit.Load, await.Nothing)
		began := time.Now()
		if _, err := stop.Write([]byte("\n")); err != nil {
			t.Error(err)
		}
		if err := syscall.Kill(os.Getpid(), syscall.SIGSTOP); err != nil {
			t.Error(err)
		}
		for time.Since(began) < stopped { // the signal may arrive a little later
		}
		close(network.healed)
	}()
	before := calls(t, server)
	if d, n := take(t, s, "key", l), calls(t, server)-before; d.Day.Used != 2 || n != 1 {
		t.Errorf("%+v after %d calls, want the second request after one", d, n)
	}
}

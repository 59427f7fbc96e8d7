package enginetest

import (
	"errors"
	"os/exec"
	"syscall"
)

// unsupported says why no server runs here.
var unsupported = errors.New("tests on real engines do not run on Windows")

const (
	stopSignal     = syscall.Signal(-1)
	continueSignal = syscall.Signal(-1)
)

func command(string, string, ...string) (*exec.Cmd, error) { return nil, unsupported }

func setApart(*exec.Cmd) {}

func giveToServers(string) error { return unsupported }

func memory() string { return "" }

func sendSignal(int, syscall.Signal) error { return unsupported }

func childrenOf(int) ([]int, error) { return nil, unsupported }

func hasEnded(int) bool { return true }

//go:build unix

package porttest

import (
	"os"
	"runtime"
	"syscall"
)

type socket = int

// bind returns a socket that is bound to a port and does not listen. Processes that this
// one starts do not inherit it.
func bind(port int) (socket, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	s, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		return s, os.NewSyscallError("socket", err)
	}
	syscall.CloseOnExec(s)
	if err := syscall.Bind(s, &syscall.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		closeSocket(s)
		return s, os.NewSyscallError("bind", err)
	}
	return s, nil
}

// share lets a server listen on the port of a socket. Linux compares the options of both
// sockets, so it suffices to set SO_REUSEADDR now; elsewhere the socket must go.
func share(s socket) error {
	if runtime.GOOS != "linux" {
		closeSocket(s)
		return nil
	}
	return os.NewSyscallError("setsockopt", syscall.SetsockoptInt(s, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1))
}

func closeSocket(s socket) { _ = syscall.Close(s) }

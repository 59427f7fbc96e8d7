package porttest

import (
	"os"
	"syscall"
)

type socket = syscall.Handle

// bind returns a socket that is bound to a port and does not listen.
func bind(port int) (socket, error) {
	s, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, syscall.IPPROTO_TCP)
	if err != nil {
		return s, os.NewSyscallError("socket", err)
	}
	if err := syscall.Bind(s, &syscall.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		closeSocket(s)
		return s, os.NewSyscallError("bind", err)
	}
	return s, nil
}

// share lets a server listen on the port of a socket: the socket must go.
func share(s socket) error {
	closeSocket(s)
	return nil
}

func closeSocket(s socket) { _ = syscall.Closesocket(s) }

package app

import (
	"errors"
	"net"
	"os"
	"syscall"
)

// acceptPending accepts the connections that wait at a listener, and waits for no more: the
// kernel resets them when it is closed.
func acceptPending(listener net.Listener) []net.Conn {
	tcp, ok := listener.(*net.TCPListener)
	if !ok {
		return nil
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return nil // it is closed
	}
	var conns []net.Conn
	_ = raw.Control(func(fd uintptr) { conns = acceptAll(int(fd)) }) // fails only when it is closed: nobody waits then
	return conns
}

// mostPending is how many connections are taken over at the end: as many as Linux lets
// wait at one address by default. A flood of new ones does not keep a process that stops.
const mostPending = 4096

// acceptAll accepts what waits at a socket that does not block.
func acceptAll(fd int) []net.Conn {
	var conns []net.Conn
	for len(conns) < mostPending {
		accepted, _, err := syscall.Accept4(fd, syscall.SOCK_NONBLOCK|syscall.SOCK_CLOEXEC)
		switch {
		case errors.Is(err, syscall.EINTR), errors.Is(err, syscall.ECONNABORTED):
			continue
		case err != nil: // EAGAIN: that was the last
			return conns
		}
		file := os.NewFile(uintptr(accepted), "connection")
		conn, err := net.FileConn(file)
		_ = file.Close() // conn has a copy
		if err == nil {
			conns = append(conns, conn)
		}
	}
	return conns
}

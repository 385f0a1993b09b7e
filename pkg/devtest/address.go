package devtest

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
	"testing"
)

// Ports that are given by FreeAddress: below those that Linux gives to who asks for port 0
// (from 32768 on, ip_local_port_range) and above those of known services. An address of the
// upper range would not stay free: while the server that a test kills is down, any other
// process can be given its port, and answers in its place.
const (
	firstPort = 20_000
	pastPorts = 32_000
)

// given holds the ports that this process has given, so that each is given once.
var given sync.Map

// FreeAddress returns host:port on loopback for a server that must be found again at the
// same address after it was restarted. Nobody listens there now, and nobody is given it by
// chance later.
func FreeAddress(t testing.TB) string {
	t.Helper()
	address, err := FindFreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// FindFreeAddress is FreeAddress for programs that are no tests.
func FindFreeAddress() (string, error) {
	for range 1000 {
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(firstPort+rand.IntN(pastPorts-firstPort)))
		if _, before := given.LoadOrStore(address, true); before {
			continue
		}
		listener, err := net.Listen("tcp", address)
		if err != nil {
			continue // another process has it
		}
		return address, listener.Close()
	}
	return "", fmt.Errorf("no free port from %d to %d", firstPort, pastPorts-1)
}

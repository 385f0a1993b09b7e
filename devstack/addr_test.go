package devstack_test

import (
	"net"
	"strconv"
)

func splitAddr(addr string) (string, int, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", 0, err
	}
	number, err := strconv.Atoi(port)
	return host, number, err
}

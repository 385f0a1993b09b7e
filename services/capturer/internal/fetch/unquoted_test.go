package fetch

import (
	"bufio"
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"
)

// TestNoLineOfAnAnswerIsQuoted: what a server sends in place of an answer is in no error.
func TestNoLineOfAnAnswerIsQuoted(t *testing.T) {
	for _, answer := range []string{
		"HTTP/1.1 200 OK\r\npassword MinPw77351\r\n\r\n", "password MinPw77351\r\n\r\n", "HTTP/1.1 MinPw77351\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: MinPw77351\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: MinPw77351\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: MinPw77351\r\n\r\n", "HTTP/MinPw77351 200 OK\r\n\r\n",
	} {
		_, err := http.ReadResponse(bufio.NewReader(strings.NewReader(answer)), nil)
		if err == nil {
			t.Errorf("%q is an answer", answer)
		} else if got := unquoted(err).Error(); strings.Contains(got, "MinPw77351") {
			t.Errorf("%q: %s", answer, got)
		}
	}
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
	if got := unquoted(refused); got != error(refused) {
		t.Error(got)
	}
}

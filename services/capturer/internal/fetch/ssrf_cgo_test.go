//go:build cgo

package fetch

import (
	"net"
	"os"
	"strings"
	"testing"
)

// TestForbiddenAddressesWithCgo does the same with the C library's resolver,
// which takes 2130706433 for 127.0.0.1. It needs a build with cgo and
// GODEBUG=netdns=cgo; that it is used shows in just that.
func TestForbiddenAddressesWithCgo(t *testing.T) {
	if !strings.Contains(os.Getenv("GODEBUG"), "netdns=cgo") {
		t.Skip("GODEBUG=netdns=cgo is not set")
	}
	if found, err := net.DefaultResolver.LookupHost(t.Context(), "2130706433"); err != nil || len(found) == 0 || found[0] != "127.0.0.1" {
		t.Fatalf("it is not the C library that resolves: %v, %v", found, err)
	}
	hostsCases(t, "the resolver of the C library", nil)
}

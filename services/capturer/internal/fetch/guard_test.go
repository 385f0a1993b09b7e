package fetch

import (
	"errors"
	"net/http"
	"net/netip"
	"testing"
	"time"
)

func TestOnlyPublicUnicastAddresses(t *testing.T) {
	for address, allowed := range map[string]bool{
		"8.8.8.8": true, "1.1.1.1": true, "192.0.1.1": true, "172.15.0.1": true, "172.32.0.1": true, "100.63.0.1": true,
		"100.128.0.1": true, "169.253.0.1": true, "198.17.0.1": true, "223.255.255.255": true, "168.63.129.17": true,
		"2606:4700:4700::1111": true, "2a00:1450:4001:800::200e": true, "2001:200::1": true, "::ffff:8.8.8.8": true,

		"0.0.0.0": false, "0.1.2.3": false, "10.0.0.1": false, "10.255.255.255": false, "100.64.0.1": false,
		"100.100.100.200": false, "100.127.255.255": false, "127.0.0.1": false, "127.255.255.254": false,
		"168.63.129.16": false, "169.254.0.1": false, "169.254.169.254": false, "169.254.170.2": false, "172.16.0.1": false,
		"172.31.255.255": false, "192.0.0.192": false, "192.0.0.8": false, "192.0.2.1": false, "192.31.196.1": false,
		"192.52.193.1": false, "192.88.99.1": false, "192.168.1.1": false, "192.175.48.1": false, "198.18.0.1": false,
		"198.19.255.255": false, "198.51.100.1": false, "203.0.113.1": false, "224.0.0.1": false, "239.255.255.250": false,
		"240.0.0.1": false, "255.255.255.255": false,

		"::": false, "::1": false, "::7f00:1": false, "::ffff:127.0.0.1": false, "::ffff:10.0.0.1": false,
		"::ffff:169.254.169.254": false, "::ffff:0:127.0.0.1": false, "64:ff9b::7f00:1": false, "64:ff9b::808:808": false,
		"64:ff9b:1::1": false, "100::1": false, "2001::1": false, "2001:0:4136:e378:8000:63bf:3fff:fdd2": false,
		"2001:10::1": false, "2001:20::1": false, "2001:db8::1": false, "2002:7f00:1::": false, "2002:808:808::": false,
		"2620:4f:8000::1": false, "3fff::1": false, "4000::1": false, "5f00::1": false, "fc00::1": false, "fd00:ec2::254": false,
		"fe80::1": false, "fe80::1%eth0": false, "2606:4700::1%1": false, "fec0::1": false, "ff02::1": false,
	} {
		err := Guard{}.Check(netip.AddrPortFrom(netip.MustParseAddr(address), 443))
		var refused *Refused
		if (err == nil) != allowed || err != nil && !errors.As(err, &refused) {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestPortsAndNetworksOfTheAllowList(t *testing.T) {
	g := Guard{Allow: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16")}}
	for target, allowed := range map[string]bool{
		"8.8.8.8:80": true, "8.8.8.8:443": true, "8.8.8.8:22": false, "8.8.8.8:8080": false,
		"10.1.2.3:8080": true, "[::ffff:10.1.2.3]:6379": true, "10.2.0.1:80": false,
	} {
		if err := g.Check(netip.MustParseAddrPort(target)); (err == nil) != allowed {
			t.Errorf("%s: %v", target, err)
		}
	}
	if err := (Guard{Ports: []uint16{8443}}).Check(netip.MustParseAddrPort("8.8.8.8:8443")); err != nil {
		t.Error(err)
	}
	if err := (Guard{}).Control("udp4", "8.8.8.8:53", nil); err == nil {
		t.Error("UDP is let through")
	}
	if err := (Guard{}).Control("tcp4", "example.org:80", nil); err == nil {
		t.Error("a name is let through")
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for given, want := range map[string]time.Duration{
		"": 0, "120": 2 * time.Minute, "-1": 0, "soon": 0, "Thu, 01 Jan 2026 00:01:00 GMT": time.Minute,
		"Thu, 01 Jan 2020 00:01:00 GMT": 0, "99999999999999999999": 0,
	} {
		if got := retryAfter(http.Header{"Retry-After": {given}}, now); got != want {
			t.Errorf("%q: %s, want %s", given, got, want)
		}
	}
}

package fetch

import (
	"fmt"
	"net/netip"
	"slices"
	"syscall"
)

// Refused says that an address, a scheme or a URL is one that is never fetched
// from. It is final.
type Refused struct {
	What string // what was asked for
	Why  string
}

// Error returns a sentence without secrets.
func (r *Refused) Error() string { return fmt.Sprintf("%s is refused: %s", r.What, r.Why) }

// Guard decides which addresses may be connected to: public unicast ones, on
// the ports of Ports, and whatever lies in the networks of Allow. It looks at
// the address that a connection is about to be made to, after every resolution,
// so that a name which changes its address between check and use gains nothing.
type Guard struct {
	Allow []netip.Prefix // empty by default
	Ports []uint16       // default 80 and 443
}

// Control is net.Dialer's Control: it refuses before anything is sent.
func (g Guard) Control(network, address string, _ syscall.RawConn) error {
	target, err := netip.ParseAddrPort(address)
	if err != nil {
		return &Refused{What: address, Why: "it is no address"}
	}
	if network != "tcp4" && network != "tcp6" {
		return &Refused{What: address, Why: "only TCP is spoken"}
	}
	return g.Check(target)
}

// Check returns nil for an address that may be connected to, else a *Refused.
func (g Guard) Check(target netip.AddrPort) error {
	addr := target.Addr().Unmap()
	for _, allowed := range g.Allow {
		if allowed.Contains(addr) {
			return nil
		}
	}
	if class := special(addr); class != "" {
		return &Refused{What: addr.String(), Why: class + "; the capturer's COLOPHON_FETCH_NETWORKS lists what may be fetched from beside the public internet"}
	}
	ports := g.Ports
	if len(ports) == 0 {
		ports = []uint16{80, 443}
	}
	if !slices.Contains(ports, target.Port()) {
		return &Refused{What: target.String(), Why: fmt.Sprintf("port %d is not among the capturer's COLOPHON_FETCH_PORTS", target.Port())}
	}
	return nil
}

type class struct {
	prefix string
	name   string
}

// classes4 are the IPv4 networks that are not public unicast: the special
// registry of RFC 6890 as IANA keeps it, multicast, class E, and the metadata
// addresses of clouds that lie outside of those.
func classes4() []class {
	return []class{
		{"0.0.0.0/8", "this network"},
		{"10.0.0.0/8", "a private network"},
		{"100.64.0.0/10", "shared address space"},
		{"127.0.0.0/8", "loopback"},
		{"168.63.129.16/32", "a cloud's metadata address"},
		{"169.254.0.0/16", "link-local"},
		{"172.16.0.0/12", "a private network"},
		{"192.0.0.0/24", "protocol assignments"},
		{"192.0.2.0/24", "documentation"},
		{"192.31.196.0/24", "AS112"},
		{"192.52.193.0/24", "AMT"},
		{"192.88.99.0/24", "6to4 relays"},
		{"192.168.0.0/16", "a private network"},
		{"192.175.48.0/24", "AS112"},
		{"198.18.0.0/15", "benchmarks"},
		{"198.51.100.0/24", "documentation"},
		{"203.0.113.0/24", "documentation"},
		{"224.0.0.0/4", "multicast"},
		{"240.0.0.0/4", "reserved"},
	}
}

// classes6 are the networks inside 2000::/3 that are not public unicast. All of
// IPv6 outside of it is refused: loopback, unique local, link-local, site-local,
// multicast, IPv4-compatible, discard and NAT64.
func classes6() []class {
	return []class{
		{"2001::/23", "protocol assignments, Teredo among them"},
		{"2001:db8::/32", "documentation"},
		{"2002::/16", "6to4"},
		{"2620:4f:8000::/48", "AS112"},
		{"3fff::/20", "documentation"},
	}
}

// special returns why an unmapped address is not public unicast, "" when it is.
func special(addr netip.Addr) string {
	if !addr.IsValid() {
		return "it is no address"
	}
	if addr.Zone() != "" {
		return "it has a zone"
	}
	classes := classes4()
	if addr.Is6() {
		if !netip.MustParsePrefix("2000::/3").Contains(addr) {
			return "it is not a public unicast address"
		}
		classes = classes6()
	}
	for _, c := range classes {
		if netip.MustParsePrefix(c.prefix).Contains(addr) {
			return c.name
		}
	}
	return ""
}

package nip34

import (
	"net/netip"
	"strconv"
	"strings"
)

// hostName lower-cases and checks the host of a URL, and brings every spelling of an address to one
// (U-03). want is "" for a good host. addr is valid when the host is an address.
func hostName(h string) (name string, addr netip.Addr, want string) {
	if strings.Contains(h, ":") { // url.Hostname has removed the brackets
		a, err := netip.ParseAddr(h)
		if err != nil || a.Zone() != "" {
			return "", addr, "a valid IPv6 address without a zone"
		}
		if a = a.Unmap(); a.Is4() {
			return a.String(), a, ""
		}
		return "[" + a.String() + "]", a, ""
	}
	h = strings.ToLower(strings.TrimSuffix(h, "."))
	if h == "" || len(h) > 253 {
		return "", addr, "a host of 1 to 253 characters"
	}
	last := ""
	for rest, more := h, true; more; {
		last, rest, more = strings.Cut(rest, ".")
		if want := checkLabel(last); want != "" {
			return "", addr, want
		}
	}
	if !numeric(last) {
		return h, addr, ""
	}
	a, ok := parseIPv4(h)
	if !ok {
		return "", addr, "a valid IPv4 address, or a name whose last part is no number"
	}
	return a.String(), a, ""
}

func checkLabel(l string) string {
	if l == "" || len(l) > 63 {
		return "host labels of 1 to 63 characters"
	}
	for i := 0; i < len(l); i++ {
		if c := l[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' {
			return "an ASCII host of letters, digits, - and _ (punycode for others)"
		}
	}
	if l[0] == '-' || l[len(l)-1] == '-' {
		return "host labels that neither begin nor end with -"
	}
	return ""
}

// numeric tells whether resolvers would read a host that ends in this label as an address.
func numeric(label string) bool {
	if strings.HasPrefix(label, "0x") {
		return true
	}
	for i := 0; i < len(label); i++ {
		if label[i] < '0' || label[i] > '9' {
			return false
		}
	}
	return true
}

// parseIPv4 reads an address as inet_aton does: one to four parts, decimal, octal or hex, the last
// filling the remaining bytes.
func parseIPv4(h string) (netip.Addr, bool) {
	parts := strings.Split(h, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var ip uint64
	for i, p := range parts {
		base := 10
		if rest, hex := strings.CutPrefix(p, "0x"); hex {
			p, base = rest, 16
		} else if len(p) > 1 && p[0] == '0' {
			p, base = p[1:], 8
		}
		v, err := strconv.ParseUint(p, base, 64)
		if err != nil {
			return netip.Addr{}, false
		}
		if i < len(parts)-1 {
			if v > 255 {
				return netip.Addr{}, false
			}
			ip |= v << (24 - 8*i)
			continue
		}
		if v >= 1<<(8*(5-len(parts))) {
			return netip.Addr{}, false
		}
		ip |= v
	}
	return netip.AddrFrom4([4]byte{byte(ip >> 24), byte(ip >> 16), byte(ip >> 8), byte(ip)}), true
}

// localName tells whether a name always means this machine (RFC 6761, and what hosts files add).
func localName(h string) bool {
	switch h {
	case "localhost", "localhost.localdomain", "ip6-localhost", "ip6-loopback":
		return true
	}
	return strings.HasSuffix(h, ".localhost")
}

// PrivateAddr tells whether an address is private, loopback, link-local or otherwise not a public host
// (U-02). IPv6 forms that carry an IPv4 address (mapped, NAT64, 6to4) are judged by what they carry.
func PrivateAddr(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	if !a.IsValid() {
		return true
	}
	b := a.As16()
	if a.Is6() {
		switch {
		case within(a, "64:ff9b::/96"):
			return PrivateAddr(netip.AddrFrom4([4]byte(b[12:])))
		case within(a, "2002::/16"):
			return PrivateAddr(netip.AddrFrom4([4]byte(b[2:6])))
		}
	}
	if a.IsLoopback() || a.IsPrivate() || a.IsLinkLocalUnicast() || a.IsMulticast() || a.IsUnspecified() {
		return true
	}
	for _, p := range notPublic {
		if within(a, p) {
			return true
		}
	}
	return false
}

// notPublic holds, beyond what netip knows: this network, shared address space, protocol assignments,
// benchmarking, reserved and broadcast; IPv4-compatible, local NAT64, discard and site-local IPv6.
var notPublic = [...]string{"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "198.18.0.0/15", "240.0.0.0/4",
	"::/96", "64:ff9b:1::/48", "100::/64", "fec0::/10"}

func within(a netip.Addr, prefix string) bool { return netip.MustParsePrefix(prefix).Contains(a) }

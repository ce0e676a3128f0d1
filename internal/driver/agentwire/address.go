package agentwire

import (
	"net/netip"
	"strings"
)

// AddressIn returns the address in the line that an agent prints as soon as it listens. The agent prints no other line like it. A host
// that gives the agent port 0 learns the real port here, and no other process can take the port in between.
func AddressIn(line string) (address string, ok bool) {
	address, ok = strings.CutPrefix(strings.TrimRight(line, "\r\n"), "ios-agent listens on ")
	if !ok {
		return "", false
	}
	at, err := netip.ParseAddrPort(address)
	return address, err == nil && at.Addr().IsLoopback()
}

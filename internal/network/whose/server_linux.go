package whose

import (
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

func peerUID(fd int) (int, error) {
	cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, err
	}
	return int(cred.Uid), nil
}

// ownerOf is the user at the end theirs of a connection. Until a server has accepted it, the kernel shows no owner; then ownerOf finds
// the listening socket instead.
func ownerOf(theirs, ours netip.AddrPort) (uid int, err error) {
	if s, err := socketOf(theirs, ours); err == nil && s.inode != 0 {
		return s.uid, nil
	}
	s, err := diagnosed(theirs, anyPort(ours))
	if err != nil || s.inode == 0 {
		return listening(theirs)
	}
	return s.uid, nil
}

// listening finds the user of the socket that listens at an address, in the kernel's tables: at exactly this address, or at all
// addresses.
func listening(at netip.AddrPort) (int, error) {
	all := map[netip.Addr]int{}
	for _, table := range []string{"tcp", "tcp6"} {
		text, err := os.ReadFile(filepath.Join("/proc/net", table))
		if err != nil && table == "tcp" {
			return 0, err
		}
		listeners(string(text), at.Port(), all)
	}
	for _, a := range []netip.Addr{at.Addr(), netip.IPv4Unspecified(), netip.IPv6Unspecified()} {
		if uid, is := all[a]; is {
			return uid, nil
		}
	}
	return 0, errUntold
}

// listeners reads the users that listen at a port from a table: local address (2), state (4), uid (8).
func listeners(table string, port uint16, into map[netip.Addr]int) {
	const listens = "0A"
	for line := range strings.Lines(table) {
		f := strings.Fields(line)
		if len(f) < 10 || f[3] != listens || tableAddress(f[1]).Port() != port {
			continue
		}
		if uid, err := strconv.Atoi(f[7]); err == nil {
			into[tableAddress(f[1]).Addr()] = uid
		}
	}
}

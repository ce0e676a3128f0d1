package whose

import (
	"encoding/binary"
	"errors"
	"net/netip"
)

// Kinds of records in the list of all TCP sockets that macOS gives for sysctl net.inet.tcp.pcblist_n: <sys/socketvar.h> of xnu. Each
// record begins with its length and its kind, 4 bytes each, and the next one begins at a multiple of 8. A socket consists of several
// records, its addresses first.
const (
	kindSocket = 0x001
	kindInpcb  = 0x010
)

// Offsets in the record of addresses (xinpcb_n) and in the record of the socket (xsocket_n). An IPv4 address is the last 4 of 16 bytes.
const (
	inpcbForeignPort = 16
	inpcbLocalPort   = 18
	inpcbVersions    = 44 // bit 0: IPv4, bit 1: IPv6
	inpcbForeign     = 48
	inpcbLocal       = 64
	inpcbSize        = 80

	socketUID     = 64
	socketLastPID = 68
	socketSize    = 72
)

// errUntold says that the list has no usable entry for the connection. If the list lacks even our own end of the connection, with our own
// user, another version of macOS probably writes its records in another form.
var errUntold = errors.New("the system's list of connections does not show the owner of this one")

// ownerIn finds the process at the end theirs of a connection, in such a list. It trusts the list only if it describes our own
// end correctly: otherwise a changed record format would make the proxy refuse every app.
func ownerIn(list []byte, theirs, ours netip.AddrPort, mine func(uid int) bool) (int, error) {
	if us, _, known := listed(list, ours, theirs); !known || !mine(us) {
		return 0, errUntold
	}
	uid, pid, found := listed(list, theirs, ours)
	switch {
	case !found:
		return 0, errGone
	case !mine(uid):
		return 0, otherUserError{uid}
	case pid <= 0:
		return 0, errUnseen
	}
	return pid, nil
}

// listed finds a socket in such a list: the user that made it and the process that used it last. Every access is checked although the
// list comes from the system: another version may have other records.
func listed(list []byte, theirs, ours netip.AddrPort) (uid, pid int, found bool) {
	var meant bool // the next records belong to the wanted socket
	for at := headLength(list); at+8 <= len(list); {
		length := int(binary.LittleEndian.Uint32(list[at:]))
		if length < 8 || length > len(list)-at {
			break // the trailer, or an unknown record
		}
		record := list[at : at+length]
		switch kind := binary.LittleEndian.Uint32(record[4:]); {
		case kind == kindInpcb && length >= inpcbSize:
			meant = endOf(record, inpcbLocalPort, inpcbLocal) == theirs && endOf(record, inpcbForeignPort, inpcbForeign) == ours
		case kind == kindSocket && length >= socketSize && meant:
			uid = int(int32(binary.LittleEndian.Uint32(record[socketUID:])))
			return uid, int(int32(binary.LittleEndian.Uint32(record[socketLastPID:]))), true
		}
		at += (length + 7) &^ 7
	}
	return 0, 0, false
}

// headLength is the length of the first record, which has no kind.
func headLength(list []byte) int {
	if len(list) < 4 {
		return len(list)
	}
	return int(min(uint32(len(list)), (binary.LittleEndian.Uint32(list)+7)&^7))
}

func endOf(record []byte, port, address int) netip.AddrPort {
	raw := [16]byte(record[address : address+16])
	a := netip.AddrFrom16(raw).Unmap()
	if record[inpcbVersions]&1 != 0 && record[inpcbVersions]&2 == 0 {
		a = netip.AddrFrom4([4]byte(raw[12:]))
	}
	return netip.AddrPortFrom(a, binary.BigEndian.Uint16(record[port:]))
}

package whose

import (
	"net/netip"

	"golang.org/x/sys/unix"
)

func peerUID(fd int) (int, error) {
	cred, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return 0, err
	}
	return int(cred.Uid), nil
}

// ownerOf is the user at the end theirs of a connection: a socket that a server accepts gets the user of the listening socket, even
// before the server accepts it.
func ownerOf(theirs, ours netip.AddrPort) (int, error) {
	list, err := sockets()
	if err != nil {
		return 0, err
	}
	uid, _, found := listed(list, theirs, ours)
	if !found {
		return 0, errUntold
	}
	return uid, nil
}

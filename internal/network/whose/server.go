package whose

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
)

// ForeignError says that another user of this machine runs the server of a connection. That user could fake a device's screen and would
// see the typed text.
type ForeignError struct {
	At  string
	UID int
}

func (e *ForeignError) Error() string {
	return fmt.Sprintf("the server at %s belongs to another user of this machine (uid %d)", e.At, e.UID)
}

// Foreign distinguishes it from errors of servers that only do not answer.
func (e *ForeignError) Foreign() bool { return true }

// root can control our processes anyway, and publishes the ports of containers.
const root = 0

// Own refuses a connection to a server of this machine that another user runs; call it before sending data. It accepts servers of other
// machines. If the system does not show the user, it accepts too: the kernel itself may forward a port.
func Own(c net.Conn) error {
	uid, err := serverOf(c)
	if err != nil || uid == root || mine(uid) {
		return nil
	}
	return &ForeignError{At: c.RemoteAddr().String(), UID: uid}
}

// serverOf is the user of the server at the other end of a connection.
func serverOf(c net.Conn) (uid int, err error) {
	if local, is := c.(*net.UnixConn); is {
		return peerOf(local)
	}
	ours, theirs := addrPort(c.LocalAddr()), addrPort(c.RemoteAddr())
	if !ours.IsValid() || !theirs.IsValid() || elsewhere(ours, theirs) {
		return 0, errUntold
	}
	return ownerOf(theirs, ours)
}

// peerOf is the user who listens at a socket's path.
func peerOf(c *net.UnixConn) (uid int, err error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, err
	}
	failed := raw.Control(func(fd uintptr) { uid, err = peerUID(int(fd)) })
	return uid, errors.Join(failed, err)
}

// anyPort is an address for a listening socket, which has no other end.
func anyPort(of netip.AddrPort) netip.AddrPort { return netip.AddrPortFrom(of.Addr(), 0) }

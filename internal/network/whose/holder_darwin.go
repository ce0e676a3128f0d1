package whose

import (
	"errors"
	"fmt"
	"net/netip"

	"golang.org/x/sys/unix"
)

// sockets is the system's list of all TCP sockets, in one call: each has the pid of the process that used it last. With proc_pidfdinfo,
// every descriptor of every process would need a call.
func sockets() ([]byte, error) {
	list, err := unix.SysctlRaw("net.inet.tcp.pcblist_n")
	for range 3 { // ENOMEM: the list grew after its size was read
		if !errors.Is(err, unix.ENOMEM) {
			break
		}
		list, err = unix.SysctlRaw("net.inet.tcp.pcblist_n")
	}
	return list, err
}

// holder is the process at the client's end, theirs, of a connection to the proxy's end, ours.
func holder(theirs, ours netip.AddrPort, _ []int) (int, error) {
	list, err := sockets()
	if err != nil {
		return 0, fmt.Errorf("cannot find the owner of the connection: %w", err)
	}
	return ownerIn(list, theirs, ours, mine)
}

package whose

import (
	"errors"
	"fmt"
	"net/netip"

	"golang.org/x/sys/unix"
)

// sockets is the list of all sockets of TCP, in one call: it names for each the process that used it last. proc_pidfdinfo would
// tell the same one descriptor after the other, of every process.
func sockets() ([]byte, error) {
	list, err := unix.SysctlRaw("net.inet.tcp.pcblist_n")
	for range 3 { // it grew between the two questions, for its size and for itself
		if !errors.Is(err, unix.ENOMEM) {
			break
		}
		list, err = unix.SysctlRaw("net.inet.tcp.pcblist_n")
	}
	return list, err
}

// holder is the process that has the end theirs of a connection to ours.
func holder(theirs, ours netip.AddrPort, _ []int) (int, error) {
	list, err := sockets()
	if err != nil {
		return 0, fmt.Errorf("the system does not tell whose connection it is: %w", err)
	}
	return ownerIn(list, theirs, ours, mine)
}

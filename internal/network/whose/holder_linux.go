package whose

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// socket is one end of a connection, as the kernel tells it.
type socket struct {
	uid   int
	inode uint32 // 0: no process has it any more
}

// errNoSocket means that the kernel knows no such connection.
var errNoSocket = errors.New("no such socket")

// holder is the process that has the end theirs of a connection to ours. The socket is found by asking the kernel for exactly this
// one, its process by looking into those of our own user: the likely ones first, then the newest. Inodes are not remembered: each
// connection has one of its own, and is asked about once.
func holder(theirs, ours netip.AddrPort, likely []int) (int, error) {
	s, err := socketOf(theirs, ours)
	switch {
	case errors.Is(err, errNoSocket):
		return 0, errGone
	case err != nil:
		return 0, fmt.Errorf("the system does not tell whose connection it is: %w", err)
	case s.inode == 0:
		return 0, errGone
	case !mine(s.uid):
		return 0, otherUserError{s.uid}
	}
	link := fmt.Sprintf("socket:[%d]", s.inode)
	for _, pid := range likely {
		if holds(pid, link) {
			return pid, nil
		}
	}
	return search(link, likely)
}

// longest bounds a search; one of three hundred processes takes a few milliseconds.
const longest = 250 * time.Millisecond

var errLong = errors.New("looking for the process that connected took too long")

func search(link string, asked []int) (int, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return 0, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return 0, err
	}
	var pids []int
	for _, n := range names {
		if pid, err := strconv.Atoi(n); err == nil && !slices.Contains(asked, pid) {
			pids = append(pids, pid)
		}
	}
	slices.Sort(pids)
	slices.Reverse(pids)
	until := time.Now().Add(longest)
	for i, pid := range pids {
		if i%16 == 15 && time.Now().After(until) {
			return 0, errLong
		}
		var at unix.Stat_t
		if unix.Stat("/proc/"+strconv.Itoa(pid), &at) == nil && mine(int(at.Uid)) && holds(pid, link) {
			return pid, nil
		}
	}
	return 0, errUnseen
}

// holds reports whether a process has a socket. The newest descriptors, which have the highest numbers, are looked at first.
func holds(pid int, link string) bool {
	dir := "/proc/" + strconv.Itoa(pid) + "/fd"
	f, err := os.Open(dir)
	if err != nil {
		return false
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	if err != nil {
		return false
	}
	buffer := make([]byte, 64)
	for _, name := range slices.Backward(names) {
		if n, err := unix.Readlinkat(int(f.Fd()), name, buffer); err == nil && string(buffer[:n]) == link {
			return true
		}
	}
	return false
}

// socketOf asks the kernel for one socket of TCP. Where it does not answer such questions, its tables are read.
func socketOf(theirs, ours netip.AddrPort) (socket, error) {
	s, err := diagnosed(theirs, ours)
	if err == nil || errors.Is(err, errNoSocket) {
		return s, err
	}
	return tabled(theirs, ours)
}

// Sizes and places in the messages of sock_diag(7).
const (
	headerSize  = 16
	requestSize = headerSize + 56
	replySize   = headerSize + 72
	replyUID    = headerSize + 64
	replyInode  = headerSize + 68
)

// diagnosed asks by a netlink socket: one question, one answer, however many connections there are.
func diagnosed(theirs, ours netip.AddrPort) (socket, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return socket{}, err
	}
	defer unix.Close(fd)
	_ = unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Sec: 1}) // it answers at once or never
	if err := unix.Sendto(fd, question(theirs, ours), 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return socket{}, err
	}
	var reply [1024]byte
	n, _, err := unix.Recvfrom(fd, reply[:], 0)
	if err != nil {
		return socket{}, err
	}
	if n >= headerSize+4 && binary.NativeEndian.Uint16(reply[4:]) == unix.NLMSG_ERROR {
		failed := syscall.Errno(-int32(binary.NativeEndian.Uint32(reply[headerSize:])))
		if failed == syscall.ENOENT {
			return socket{}, errNoSocket
		}
		return socket{}, failed
	}
	if n < replySize {
		return socket{}, errors.New("an answer of the kernel that is too short")
	}
	return socket{uid: int(binary.NativeEndian.Uint32(reply[replyUID:])), inode: binary.NativeEndian.Uint32(reply[replyInode:])}, nil
}

func question(theirs, ours netip.AddrPort) []byte {
	q := make([]byte, requestSize)
	binary.NativeEndian.PutUint32(q, requestSize)
	binary.NativeEndian.PutUint16(q[4:], unix.SOCK_DIAG_BY_FAMILY)
	binary.NativeEndian.PutUint16(q[6:], unix.NLM_F_REQUEST)
	body := q[headerSize:]
	body[0], body[1] = unix.AF_INET, unix.IPPROTO_TCP
	if theirs.Addr().Is6() {
		body[0] = unix.AF_INET6
	}
	binary.NativeEndian.PutUint32(body[4:], ^uint32(0)) // in any state
	id := body[8:]
	binary.BigEndian.PutUint16(id, theirs.Port())
	binary.BigEndian.PutUint16(id[2:], ours.Port())
	copy(id[4:20], theirs.Addr().AsSlice())
	copy(id[20:36], ours.Addr().AsSlice())
	binary.NativeEndian.PutUint64(id[40:], ^uint64(0)) // no cookie
	return q
}

// tabled reads the kernel's tables. A program may have reached an IPv4 address by a socket of IPv6.
func tabled(theirs, ours netip.AddrPort) (socket, error) {
	for _, table := range []string{"tcp", "tcp6"} {
		text, err := os.ReadFile(filepath.Join("/proc/net", table))
		if err != nil && table == "tcp" {
			return socket{}, err
		}
		if s, ok := row(string(text), theirs, ours); ok {
			return s, nil
		}
	}
	return socket{}, errNoSocket
}

// row finds a connection in a table: local address (2), remote address (3), uid (8), inode (10).
func row(table string, theirs, ours netip.AddrPort) (socket, bool) {
	for line := range strings.Lines(table) {
		f := strings.Fields(line)
		if len(f) < 10 || tableAddress(f[1]) != theirs || tableAddress(f[2]) != ours {
			continue
		}
		uid, _ := strconv.Atoi(f[7]) // the kernel's own numbers
		inode, _ := strconv.ParseUint(f[9], 10, 32)
		return socket{uid, uint32(inode)}, true
	}
	return socket{}, false
}

// tableAddress reads 0100007F:1F90: words of 4 bytes in the machine's own order, and the port as one reads it.
func tableAddress(text string) netip.AddrPort {
	address, port, _ := strings.Cut(text, ":")
	p, err := strconv.ParseUint(port, 16, 16)
	if err != nil || len(address)%8 != 0 {
		return netip.AddrPort{}
	}
	var raw []byte
	for ; len(address) >= 8; address = address[8:] {
		word, err := strconv.ParseUint(address[:8], 16, 32)
		if err != nil {
			return netip.AddrPort{}
		}
		raw = binary.NativeEndian.AppendUint32(raw, uint32(word))
	}
	a, ok := netip.AddrFromSlice(raw)
	if !ok {
		return netip.AddrPort{}
	}
	return netip.AddrPortFrom(a.Unmap(), uint16(p))
}

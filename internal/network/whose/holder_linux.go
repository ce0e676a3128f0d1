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

// socket is one end of a connection, as the kernel describes it.
type socket struct {
	uid   int
	inode uint32 // 0: every process has closed it
}

// errNoSocket means that the kernel does not have the connection.
var errNoSocket = errors.New("no such socket")

// holder is the process at the client's end, theirs, of a connection to the proxy's end, ours. It asks the kernel for exactly this
// socket, then searches the user's own processes for its inode: the likely ones first, then the newest. It does not cache inodes: each
// connection has a new one, and is looked up once.
func holder(theirs, ours netip.AddrPort, likely []int) (int, error) {
	s, err := socketOf(theirs, ours)
	switch {
	case errors.Is(err, errNoSocket):
		return 0, errGone
	case err != nil:
		return 0, fmt.Errorf("cannot find the owner of the connection: %w", err)
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

// longest bounds a search; a search of three hundred processes takes a few milliseconds.
const longest = 250 * time.Millisecond

var errLong = errors.New("timed out searching for the process that connected")

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

// holds reports whether a process has a socket. It checks the newest descriptors first, which have the highest numbers.
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

// socketOf asks the kernel for one TCP socket. If the kernel does not support such requests, it reads the kernel's tables.
func socketOf(theirs, ours netip.AddrPort) (socket, error) {
	s, err := diagnosed(theirs, ours)
	if err == nil || errors.Is(err, errNoSocket) {
		return s, err
	}
	return tabled(theirs, ours)
}

// Sizes and offsets in the messages of sock_diag(7).
const (
	headerSize  = 16
	requestSize = headerSize + 56
	replySize   = headerSize + 72
	replyUID    = headerSize + 64
	replyInode  = headerSize + 68
)

// diagnosed asks through a netlink socket: one request and one reply, however many connections exist.
func diagnosed(theirs, ours netip.AddrPort) (socket, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return socket{}, err
	}
	defer unix.Close(fd)
	_ = unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Sec: 1}) // the kernel replies at once or never
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
		return socket{}, errors.New("the kernel's reply is too short")
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

// tabled reads the kernel's tables. A program may have reached an IPv4 address with an IPv6 socket.
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
		uid, _ := strconv.Atoi(f[7]) // the kernel writes valid numbers
		inode, _ := strconv.ParseUint(f[9], 10, 32)
		return socket{uid, uint32(inode)}, true
	}
	return socket{}, false
}

// tableAddress reads 0100007F:1F90: words of 4 bytes in the machine's byte order, and the port in network order.
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

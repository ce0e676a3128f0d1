package whose

import (
	"encoding/binary"
	"net/netip"
	"testing"
)

// records writes a list as xnu's in_pcblist.c does: a head of 24 bytes, for each socket its addresses, its socket, two buffers, statistics
// and its state of TCP, each begun at a multiple of 8, and the head again.
type records []byte

func (r *records) add(kind uint32, size int, fill func(record []byte)) {
	record := make([]byte, (size+7)&^7)
	binary.LittleEndian.PutUint32(record, uint32(size))
	binary.LittleEndian.PutUint32(record[4:], kind)
	if fill != nil {
		fill(record)
	}
	*r = append(*r, record...)
}

func (r *records) connection(local, foreign netip.AddrPort, versions byte, uid, pid uint32) {
	r.add(kindInpcb, 104, func(b []byte) {
		binary.BigEndian.PutUint16(b[inpcbLocalPort:], local.Port())
		binary.BigEndian.PutUint16(b[inpcbForeignPort:], foreign.Port())
		b[inpcbVersions] = versions
		place := func(at int, a netip.Addr) { copy(b[at+16-len(a.AsSlice()):], a.AsSlice()) }
		place(inpcbLocal, local.Addr())
		place(inpcbForeign, foreign.Addr())
	})
	r.add(kindSocket, 94, func(b []byte) {
		binary.LittleEndian.PutUint32(b[socketUID:], uid)
		binary.LittleEndian.PutUint32(b[socketLastPID:], pid)
	})
	for kind, size := range map[uint32]int{0x002: 32, 0x004: 32, 0x008: 132, 0x020: 204} {
		r.add(kind, size, nil)
	}
}

func list() (r records) {
	at := netip.MustParseAddrPort
	r.add(0, 24, nil)
	r.connection(at("127.0.0.1:9101"), at("127.0.0.1:50001"), 1, 501, 10) // our own end of the same connection
	r.connection(at("127.0.0.1:50001"), at("127.0.0.1:9101"), 1, 501, 4711)
	r.connection(at("127.0.0.1:50001"), at("127.0.0.1:9999"), 1, 501, 11)
	r.connection(at("[::1]:50001"), at("[::1]:9101"), 2, 502, 4712)
	r.add(0, 24, nil)
	return r
}

func TestListOfSockets(t *testing.T) {
	all := list()
	for theirs, want := range map[string]struct {
		ours     string
		uid, pid int
	}{
		"127.0.0.1:50001": {"127.0.0.1:9101", 501, 4711},
		"[::1]:50001":     {"[::1]:9101", 502, 4712},
		"127.0.0.1:50002": {"127.0.0.1:9101", 0, 0},
	} {
		uid, pid, found := listed(all, netip.MustParseAddrPort(theirs), netip.MustParseAddrPort(want.ours))
		if uid != want.uid || pid != want.pid || found != (want.pid != 0) {
			t.Errorf("%s is %d %d %v", theirs, uid, pid, found)
		}
	}
}

// FuzzListOfSockets: whatever another version of the system tells, it is read to an end.
func FuzzListOfSockets(f *testing.F) {
	f.Add([]byte(list()))
	f.Add([]byte{})
	f.Add([]byte{255, 255, 255, 255, 0, 0, 0, 0, 255, 255, 255, 255})
	f.Fuzz(func(_ *testing.T, list []byte) {
		listed(list, netip.MustParseAddrPort("127.0.0.1:50001"), netip.MustParseAddrPort("127.0.0.1:9101"))
	})
}

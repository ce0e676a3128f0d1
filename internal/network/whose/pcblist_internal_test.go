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

func TestSocketListFindsOwnerProcess(t *testing.T) {
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

// TestSocketListWithoutOwnEndIsIgnored: a list without our own end of the connection, under our user, has unknown records and is ignored.
func TestSocketListWithoutOwnEndIsIgnored(t *testing.T) {
	at := netip.MustParseAddrPort
	ours, theirs := at("127.0.0.1:9101"), at("127.0.0.1:50001")
	for name, c := range map[string]struct {
		us, them int // uid of each end; 0: it is not in the list
		want     error
	}{
		"ours":          {us: 501, them: 501},
		"another user":  {us: 501, them: 502, want: otherUserError{502}},
		"gone":          {us: 501, want: errGone},
		"nothing":       {want: errUntold},
		"not our end":   {them: 502, want: errUntold},
		"other records": {us: 77, them: 77, want: errUntold},
	} {
		var r records
		r.add(0, 24, nil)
		if c.us != 0 {
			r.connection(ours, theirs, 1, uint32(c.us), 10)
		}
		if c.them != 0 {
			r.connection(theirs, ours, 1, uint32(c.them), 11)
		}
		if _, err := ownerIn(r, theirs, ours, func(uid int) bool { return uid == 501 }); err != c.want {
			t.Errorf("%s: got %v, want %v", name, err, c.want)
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

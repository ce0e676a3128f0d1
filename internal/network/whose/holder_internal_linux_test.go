package whose

import (
	"net"
	"net/netip"
	"testing"
)

// TestSocketDiagnosisAgreesWithTables: the kernel's answer and its tables are about the same socket.
func TestSocketDiagnosisAgreesWithTables(t *testing.T) {
	for _, address := range []string{"127.0.0.1:0", "[::1]:0"} {
		l, err := net.Listen("tcp", address)
		if err != nil {
			t.Log("this machine has no such addresses:", err)
			continue
		}
		defer l.Close()
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		theirs, ours := addrPort(c.LocalAddr()), addrPort(c.RemoteAddr())
		asked, askErr := diagnosed(theirs, ours)
		read, readErr := tabled(theirs, ours)
		if askErr != nil || readErr != nil || asked != read || asked.inode == 0 {
			t.Errorf("%+v %v, %+v %v", asked, askErr, read, readErr)
		}
		none := netip.AddrPortFrom(theirs.Addr(), 1)
		if _, err := diagnosed(none, ours); err != errNoSocket {
			t.Errorf("a socket that is not there: %v", err)
		}
		if _, err := tabled(none, ours); err != errNoSocket {
			t.Errorf("a socket that is not in the tables: %v", err)
		}
	}
}

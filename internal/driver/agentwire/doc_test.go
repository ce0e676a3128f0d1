package agentwire

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestProtocolDocumentListsEveryMessage checks that the tables of the document are complete.
func TestProtocolDocumentListsEveryMessage(t *testing.T) {
	text, err := os.ReadFile("../../../docs/agent-protocol.md")
	if err != nil {
		t.Fatal(err)
	}
	want := func(format string, args ...any) {
		t.Helper()
		if row := fmt.Sprintf(format, args...); !strings.Contains(string(text), row) {
			t.Errorf("docs/agent-protocol.md has no row %s", row)
		}
	}
	for n := range 256 {
		if requests[n] != nil {
			want("\n| 0x%02x | %s |", n, Opcode(n))
		}
		if responses[n] != nil {
			want("\n| 0x%02x | %s |", n, Kind(n))
		}
	}
	for c := CodeNotFound; int(c) < len(codeNames); c++ {
		want("\n| %d | %s |", uint16(c), c)
	}
}

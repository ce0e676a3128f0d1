package telemetry

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"strings"

	"ios-agent/internal/fault"
)

// EncodeCursor writes an arrival number in quern's form of a cursor.
func EncodeCursor(number int64) string {
	return "c_" + base64.RawURLEncoding.EncodeToString(binary.BigEndian.AppendUint64(nil, uint64(number)))
}

// CursorError says that a text is not a valid cursor.
type CursorError struct{ Text string }

func (e *CursorError) Error() string { return fmt.Sprintf("invalid cursor %q", e.Text) }

// Fault says where cursors come from.
func (e *CursorError) Fault() *fault.Fault {
	return fault.New(fault.InvalidInput, "%w", e).WithHint("pass the cursor of an earlier answer unchanged, or leave it out")
}

// ParseCursor reads a cursor. For other texts it returns a *CursorError.
func ParseCursor(text string) (int64, error) {
	code, ok := strings.CutPrefix(text, "c_")
	raw, err := base64.RawURLEncoding.Strict().DecodeString(code)
	if !ok || err != nil || len(raw) != 8 || raw[0] > 0x7f {
		return 0, &CursorError{text}
	}
	return int64(binary.BigEndian.Uint64(raw)), nil
}

package telemetry

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"strings"

	"ios-agent/internal/fault"
)

// EncodeCursor writes an arrival number as quern writes its cursors.
func EncodeCursor(number int64) string {
	return "c_" + base64.RawURLEncoding.EncodeToString(binary.BigEndian.AppendUint64(nil, uint64(number)))
}

// CursorError says that a text is no cursor.
type CursorError struct{ Text string }

func (e *CursorError) Error() string { return fmt.Sprintf("%q is no cursor", e.Text) }

// Fault says where cursors come from.
func (e *CursorError) Fault() *fault.Fault {
	return fault.New(fault.InvalidInput, "%w", e).WithHint("take the cursor of an answer as it is, or leave it out")
}

// ParseCursor reads it. What is no cursor is a *CursorError.
func ParseCursor(text string) (int64, error) {
	code, ok := strings.CutPrefix(text, "c_")
	raw, err := base64.RawURLEncoding.Strict().DecodeString(code)
	if !ok || err != nil || len(raw) != 8 || raw[0] > 0x7f {
		return 0, &CursorError{text}
	}
	return int64(binary.BigEndian.Uint64(raw)), nil
}

package oslog

import "strings"

// Dropped reports whether a line says that `log stream` lost messages. The line has no count; the advice to use `log show` follows in
// another line, which does not match.
func Dropped(line string) bool {
	return strings.HasPrefix(line, "=== Messages dropped during live streaming")
}

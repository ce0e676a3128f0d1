package oslog

import "strings"

// Dropped reports whether a line says that `log stream` could not keep up. It does not say how many messages are missing, and goes on with
// the advice to look with `log show`, which does not count here.
func Dropped(line string) bool {
	return strings.HasPrefix(line, "=== Messages dropped during live streaming")
}

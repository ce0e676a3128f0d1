package telemetry

import (
	"strings"

	"ios-agent/internal/telemetry/linetext"
)

// noise has the lines that every app on a simulator logs and that carry no information. A line is noise if it has all parts of a row in
// this order, in any case.
var noise = [][]string{
	{"sandbox", "deny", "mach-lookup"},
	{"sandbox", "deny", "file-read-data"},
	{"sandbox:", "deny"},
	{"amfi", "not valid"},
	{"nw_path_evaluator"},
	{"tcp conn", "event"},
	{"tic tcp conn"},
	{"coredata: annotation"},
	{"metal api validation"},
	{"boringssl_"},
	{"sectrust", "error"},
}

// Noise reports whether a message is known noise.
func Noise(message string) bool { return noisy(linetext.Fold(message)) }

func noisy(folded string) bool {
	for _, parts := range noise {
		rest, all := folded, true
		for _, part := range parts {
			at := strings.Index(rest, part)
			if at < 0 {
				all = false
				break
			}
			rest = rest[at+len(part):]
		}
		if all {
			return true
		}
	}
	return false
}

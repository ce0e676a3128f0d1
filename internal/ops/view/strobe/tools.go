package strobe

import (
	"time"

	"ios-agent/internal/op"
)

// The tools of strobe: the name of each, and the method and the last word of its route. Each of them covers several core operations.
var (
	debugLaunch   = row("debug_launch", "POST", "launch")
	debugAttach   = row("debug_attach", "POST", "attach")
	debugWindows  = row("debug_windows", "GET", "windows")
	debugSession  = row("debug_session", "POST", "session")
	debugUI       = row("debug_ui", "GET", "ui")
	debugUIAction = row("debug_ui_action", "POST", "act")
)

func row(name, method, word string) op.Spec {
	return op.Spec{Name: name, Family: Family, Twin: op.None, Route: method + " /api/v1/desktop/" + word, Verb: "app " + word}
}

// tool is the spec of a tool.
func tool(row op.Spec, summary string, hints op.Hints, examples ...string) op.Spec {
	row.Groups, row.Summary, row.Hints, row.Timeout, row.Examples = []string{Family}, summary, hints, time.Minute, examples
	return row
}

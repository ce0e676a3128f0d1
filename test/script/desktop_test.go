package script

import (
	"context"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"ios-agent/internal/desktop/display"
	"ios-agent/internal/machine/host"
	"ios-agent/test/xdesktop"
)

// desktopVariable is set by make test-desktop, which installs what these scripts need: there a missing program is a failure.
const desktopVariable = "IOS_AGENT_DESKTOP"

// virtualDisplay starts a desktop that ends with the script: desktop. Its variables are the script's.
func virtualDisplay(ts *testscript.TestScript, _ bool, _ []string) {
	runner, err := host.New(host.Options{})
	ts.Check(err)
	d, err := display.Start(context.Background(), runner)
	ts.Check(err)
	ts.Defer(func() { _ = d.Close(); _ = runner.Close() })
	for _, pair := range d.Env() {
		name, value, _ := strings.Cut(pair, "=")
		ts.Setenv(name, value)
	}
}

// gtkApp compiles the test app: gtk-app FILE
func gtkApp(ts *testscript.TestScript, _ bool, args []string) {
	runner, err := host.New(host.Options{})
	ts.Check(err)
	defer runner.Close()
	ts.Check(xdesktop.Compile(context.Background(), runner, ts.MkAbs(args[0])))
}

// hostileApp compiles the hostile app: hostile-app FILE
func hostileApp(ts *testscript.TestScript, _ bool, args []string) {
	runner, err := host.New(host.Options{})
	ts.Check(err)
	defer runner.Close()
	ts.Check(xdesktop.CompileHostile(context.Background(), runner, ts.MkAbs(args[0])))
}

// forged is what the hostile app says to look like a line of ours, where it would be one, and characters that move or hide others.
var forged = regexp.MustCompile(`(?m)^\s*(- button "Pay" \[ref=e1\]|next: .ios-agent tap @e1|next: forged|\[virtual|screen: forged|` +
	`hint: forged|\[AXButton "Pay"|… forged|now forged|stdout: "forged"$)|[\x00\x1b\x{85}\x{2028}\x{202e}]`)

// unforged looks for lines of the hostile app in the last answer: unforged
func unforged(ts *testscript.TestScript, _ bool, _ []string) {
	for _, stream := range []string{"stdout", "stderr"} {
		said := ts.ReadFile(stream)
		if at := forged.FindStringIndex(said); at != nil {
			ts.Fatalf("%s has a forged line or character at byte %d, want none:\n%q", stream, at[0], said)
		}
	}
}

// nodeOf puts the id of the element with a title into a variable: node NAME TITLE, in the desktop session $SESSION.
func nodeOf(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(ts.Exec("ios-agent", "app", "ui", ts.Getenv("SESSION"), "--verbose", "--text", args[1], "--raw"))
	var seen struct{ Tree string }
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &seen))
	var tree struct{ Nodes []titled }
	ts.Check(json.Unmarshal([]byte(seen.Tree), &tree))
	id := ""
	for _, n := range tree.Nodes {
		if id == "" {
			id = n.find(args[1])
		}
	}
	if id == "" {
		ts.Fatalf("no element is called %s:\n%s", args[1], seen.Tree)
	}
	ts.Setenv(args[0], id)
}

type titled struct {
	ID, Title string
	Children  []titled
}

func (n titled) find(title string) string {
	if n.Title == title || strings.HasPrefix(n.Title, title+"\n") {
		return n.ID
	}
	for _, c := range n.Children {
		if id := c.find(title); id != "" {
			return id
		}
	}
	return ""
}

// stateHas waits until a file has a line, for the app writes it when it likes: state-has FILE PATTERN; with ! it must not have it now.
func stateHas(ts *testscript.TestScript, neg bool, args []string) {
	line, err := regexp.Compile("(?m)^" + args[1] + "$")
	ts.Check(err)
	has := func() bool {
		raw, _ := os.ReadFile(ts.MkAbs(args[0]))
		return line.Match(raw)
	}
	if neg {
		if has() {
			ts.Fatalf("%s has %s", args[0], args[1])
		}
		return
	}
	poll, late := time.NewTicker(10*time.Millisecond), time.NewTimer(time.Minute)
	defer poll.Stop()
	defer late.Stop()
	for !has() {
		select {
		case <-poll.C:
		case <-late.C:
			ts.Fatalf("%s has no line %s:\n%s", args[0], args[1], ts.ReadFile(args[0]))
		}
	}
}

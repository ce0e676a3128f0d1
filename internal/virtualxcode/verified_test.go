package virtualxcode_test

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/virtualxcode"
	"ios-agent/internal/virtualxcode/mark"
)

var update = flag.Bool("update", false, "rewrite docs/verified.md")

const preface = `# What is verified

Generated from the marks in the code (` + "`go test ./internal/virtualxcode -update`" + `).

**Nothing of this project has been run on a Mac yet.** The production code was tested against Virtual Xcode only; its
parsers also against recorded outputs of the real tools. What needs a Mac to be sure of:

- the command line that starts the XCTest agent, and the agent itself: its Swift code is built and tested on Linux against stubs of XCTest;
- how the agent finds the app in front: the state XCTest tells of an app by its bundle id; that SpringBoard is running_foreground on the
  home screen and that its icons, the dock's last, are hittable there and nowhere else; the names of banners (NotificationShortLookView,
  SBTransientOverlayWindow, as WebDriverAgent looks for them), and that a bar of a call in progress is not seen as a cover. While the
  agent's own app is in front, before anything was launched, the agent tells of SpringBoard;
- whether a touch reaches an element: decided on the tree (bars are over the content, which recorded trees name after them), and by
  XCTest's isHittable where the tree leaves it in doubt;
- trees of more than some 60 levels: that XCTest then says kAXErrorIllegalArgument, and reads their parts;
- that XCTest runs the main thread's run loop and queue while it waits, so that the agent's pulses tell a wait from a hang;
- process start times and locks on macOS (compiled and vetted, not run);
- everything marked *assumed* below.

"Observed" names the recorded output of a real tool that a behaviour was taken from.

| tool | behaviour of the virtual one | source |
|---|---|---|
`

func document() string {
	marks := virtualxcode.Marks()
	slices.SortStableFunc(marks, func(a, b mark.Mark) int { return cmp.Compare(a.Tool, b.Tool) })
	var b strings.Builder
	b.WriteString(preface)
	for _, m := range marks {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", m.Tool, strings.ReplaceAll(m.Behaviour, "|", `\|`), m.Source)
	}
	return b.String()
}

func TestVerifiedIsUpToDate(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "verified.md")
	if *update {
		if err := os.WriteFile(path, []byte(document()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != document() {
		t.Errorf("%s is stale: run go test ./internal/virtualxcode -update (%v)", path, err)
	}
}

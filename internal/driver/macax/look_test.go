//go:build macaxfake

package macax

import (
	"errors"
	"fmt"
	"hash/fnv"
	"strings"
	"syscall"
	"testing"

	"ios-agent/internal/desktop"
	"ios-agent/internal/fault"
)

// outline writes a tree down, all that a node says.
func outline(nodes []*desktop.Node, indent string) (s string) {
	for _, n := range nodes {
		s += fmt.Sprintf("%s%s %q", indent, n.Role, n.Title)
		if n.Value != nil {
			s += fmt.Sprintf(" value=%q", *n.Value)
		}
		if n.Bounds != nil {
			s += fmt.Sprintf(" at=%g,%g,%g,%g", n.Bounds.X, n.Bounds.Y, n.Bounds.W, n.Bounds.H)
		}
		for word, is := range map[string]bool{" off": !n.Enabled, " focused": n.Focused, " hidden": n.Hidden} {
			if is {
				s += word
			}
		}
		if n.Selected {
			s += " selected"
		}
		for _, more := range []string{n.Subrole, n.Identifier, n.Placeholder, strings.Join(n.Actions, "+")} {
			if more != "" {
				s += " " + more
			}
		}
		if n.Source != "ax" {
			s += " of " + n.Source
		}
		s += "\n" + outline(n.Children, indent+"  ")
	}
	return s
}

func TestLookReadsTreeOfFakeApp(t *testing.T) {
	a, f := open(t)
	tree := look(t, a)
	const want = `AXWindow "Test App" at=100,50,400,900 AXStandardWindow AXRaise
  AXButton "Action" at=120,90,200,30 action AXPress
  AXCheckBox "Enabled" value="0" at=120,190,200,30 AXPress
  AXStaticText "" value="Ready" at=120,240,200,30
  AXSlider "Volume" value="0.5" at=120,290,200,30 AXIncrement+AXDecrement
  AXTextField "Name" value="" at=120,340,200,30 Your name AXConfirm
  AXList "Items" at=120,390,200,30
    AXStaticText "" value="Alpha" at=120,390,200,10
    AXStaticText "" value="Beta" at=120,400,200,10 selected
    AXStaticText "" value="Gamma" at=120,410,200,10
  AXTextField "Password" at=120,440,200,30 AXSecureTextField
  AXStaticText "Drag Source" at=120,490,200,30
  AXStaticText "Drop Here" at=120,540,200,30
  AXButton "Off" at=120,590,200,30 off AXPress
  AXTextArea "Range" at=120,640,200,30
  AXCheckBox "Wi-Fi" value="1" at=120,690,200,30 selected AXSwitch
  AXValueIndicator "Big" value="9007199254740993" at=120,740,200,30
  AXGroup "Nowhere"
`
	if got := outline(tree.Windows, ""); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	f.single(1) // some apps do not answer for several attributes at once
	if got := outline(look(t, a).Windows, ""); got != want {
		t.Errorf("one by one: got\n%s\nwant\n%s", got, want)
	}
	if tree.Left != 0 || tree.LeftWhy != "" || tree.Took <= 0 {
		t.Errorf("left %d (%s), took %s", tree.Left, tree.LeftWhy, tree.Took)
	}
	if f.timeout() != float32(answerWithin.Seconds()) || f.manual() != 1 {
		t.Errorf("timeout %g, manual accessibility %d", f.timeout(), f.manual())
	}
}

// TestIDsCountElementsWithoutARole: an id is the seed's hash, and the seed counts siblings that it omits.
func TestIDsCountElementsWithoutARole(t *testing.T) {
	a, f := open(t)
	f.second()
	tree := look(t, a)
	var names desktop.Names
	names.Name(tree)
	for title, hashed := range map[string]string{
		"Action": "AXButton:Action:0", "Enabled": "AXCheckBox:Enabled:2", "Drop Here": "AXStaticText:Drop Here:9",
		"Test App": "AXWindow:Test App:0", "Second": "AXWindow:Second:1",
	} {
		h := fnv.New64a()
		fmt.Fprint(h, hashed)
		if id := find(t, tree, title).ID; !strings.HasSuffix(id, fmt.Sprintf("_%04x", uint16(h.Sum64()))) {
			t.Errorf("%s is %s, not the hash of %s", title, id, hashed)
		}
	}
}

// TestWindowsLieBackToFront: accessibility does not promise an order; the window server's order counts.
func TestWindowsLieBackToFront(t *testing.T) {
	a, f := open(t)
	second := f.second()
	order := func() (s string) {
		for _, w := range look(t, a).Windows {
			s += w.Title + map[bool]string{true: " hidden"}[w.Hidden] + "; "
		}
		return s
	}
	if got := order(); got != "Test App; Second; " {
		t.Error(got)
	}
	f.minimize(second)
	if got := order(); got != "Second hidden; Test App; " {
		t.Error(got)
	}
	f.hide(1)
	if got := order(); got != "Test App hidden; Second hidden; " {
		t.Error(got)
	}
}

// TestModalWindowsAndRangesAreReported: a modal window is recognised, and a number has its range.
func TestModalWindowsAndRangesAreReported(t *testing.T) {
	a, f := open(t)
	f.modal(f.second())
	look(t, a).Walk(func(n *desktop.Node) bool {
		if n.Modal != (n.Title == "Second") {
			t.Errorf("%s %q: %v", n.Role, n.Title, n.Modal)
		}
		if n.Role == "AXSlider" && (n.Min == nil || *n.Min != 0 || n.Max == nil || *n.Max != 1) {
			t.Errorf("its range is %v to %v", n.Min, n.Max)
		}
		return true
	})
}

func TestElementKeysStayAcrossLooks(t *testing.T) {
	a, f := open(t)
	keys := func() map[string]string {
		all := map[string]string{}
		look(t, a).Walk(func(n *desktop.Node) bool {
			if all[n.Key] != "" {
				t.Errorf("%s and %s are both %s", all[n.Key], n.Title, n.Key)
			}
			all[n.Key] = n.Role + " " + n.Title
			return true
		})
		return all
	}
	first := keys()
	button := find(t, look(t, a), "Action").Key
	f.title(buttonID, "Acted")
	if second := keys(); len(second) != len(first) || second[button] != "AXButton Acted" {
		t.Errorf("%s is %q of %d", button, second[button], len(second))
	}
	if n := len(a.elements.byKey); n != len(first)+2 { // the one without a role, and the menu bar
		t.Errorf("%d elements are kept, %d are seen", n, len(first))
	}
	f.kill(buttonID)
	f.wide(1)
	third := keys()
	if third[button] != "" || len(third) != len(first) {
		t.Errorf("%s is still %q", button, third[button])
	}
	for key := range third {
		if _, old := first[key]; !old && key == button {
			t.Errorf("%s is another's now", key)
		}
	}
	if gone, is := errors.AsType[*desktop.GoneError](a.Perform(t.Context(), button, desktop.Press)); !is || gone.Key != button {
		t.Error("what is gone was pressed")
	}
	// One that goes between a look and an action.
	label := find(t, look(t, a), "Ready").Key
	f.kill(labelID)
	if _, is := errors.AsType[*desktop.GoneError](a.Perform(t.Context(), label, desktop.Press)); !is {
		t.Error("what is gone was pressed")
	}
	if a.elements.byKey[label] != nil {
		t.Error("what is gone is kept")
	}
}

// TestKeysAreNeverReused, even when the process is opened again.
func TestKeysAreNeverReused(t *testing.T) {
	d, _ := newDesktop(t, built.now)
	seen := map[string]bool{}
	for range 3 {
		a, err := d.Open(t.Context(), pid)
		if err != nil {
			t.Fatal(err)
		}
		look(t, a.(*App)).Walk(func(n *desktop.Node) bool {
			if seen[n.Key] {
				t.Errorf("%s was another's", n.Key)
			}
			seen[n.Key] = true
			return true
		})
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestGoneElementsAreReleased: the objects of a removed subtree are released, though no call names its elements any more.
func TestGoneElementsAreReleased(t *testing.T) {
	a, f := open(t)
	f.wide(100)
	look(t, a)
	before := len(a.elements.byKey)
	for id := int32(groupID + 1); id <= groupID+100; id++ {
		f.kill(id)
	}
	f.kill(listID)
	for looks := 0; len(a.elements.byKey) != before-101; looks++ { // each asks for some
		if looks == 100 {
			t.Fatalf("%d elements are kept of %d", len(a.elements.byKey), before)
		}
		look(t, a)
	}
}

func TestTreeReportsElementsCutByLimits(t *testing.T) {
	count := func(tree *desktop.Tree) (nodes, levels int) {
		var walk func(all []*desktop.Node, level int)
		walk = func(all []*desktop.Node, level int) {
			for _, n := range all {
				nodes, levels = nodes+1, max(levels, level)
				walk(n.Children, level+1)
			}
		}
		walk(tree.Windows, 1)
		return nodes, levels
	}
	t.Run("depth", func(t *testing.T) {
		a, f := open(t)
		f.deep(60)
		tree := look(t, a)
		if _, levels := count(tree); levels != 50 || tree.Left != 1 || tree.LeftWhy != "deeper than 50 levels" {
			t.Errorf("%d levels, left %d: %s", levels, tree.Left, tree.LeftWhy)
		}
	})
	t.Run("nodes", func(t *testing.T) {
		if testing.Short() {
			t.Skip("a look at 10,000 elements, which is slow with the race detector")
		}
		a, f := open(t)
		f.wide(12_000)
		tree := look(t, a)
		if nodes, _ := count(tree); nodes != 10_000 || tree.Left < 2_000 || tree.LeftWhy != "more than 10000 elements" {
			t.Errorf("%d nodes, left %d: %s", nodes, tree.Left, tree.LeftWhy)
		}
		if n := len(a.elements.byKey); n > 10_010 {
			t.Errorf("%d elements are kept", n)
		}
	})
	t.Run("both, given", func(t *testing.T) {
		a, _ := open(t)
		tree, err := a.Look(t.Context(), desktop.Limits{Depth: 2, Nodes: 10})
		if err != nil {
			t.Fatal(err)
		}
		nodes, levels := count(tree)
		if nodes != 10 || levels != 2 || tree.Left != 8 || tree.LeftWhy != "deeper than 2 levels, more than 10 elements" {
			t.Errorf("%d nodes, %d levels, left %d: %s", nodes, levels, tree.Left, tree.LeftWhy)
		}
	})
	t.Run("a window in itself", func(t *testing.T) {
		a, f := open(t)
		f.cycle()
		if nodes, _ := count(look(t, a)); nodes != 18 {
			t.Errorf("%d nodes", nodes)
		}
	})
}

// TestHungProcessReportsTimeout: the fault reports it, and no wait is longer than one answer.
func TestHungProcessReportsTimeout(t *testing.T) {
	a, f := open(t)
	button := find(t, look(t, a), "Action").Key
	f.hang(1)
	_, err := a.Look(t.Context(), desktop.Limits{})
	wantFault(t, err, fault.Timeout, "process 4242 does not answer", "debug_continue")
	refused := wantFault(t, a.Perform(t.Context(), button, desktop.Press), fault.OutcomeUnknown, "may have done the action",
		"look before you repeat")
	if refused.Dispatched != fault.MaybeDispatched {
		t.Errorf("dispatched %q", refused.Dispatched)
	}
	f.hang(0)
	if len(look(t, a).Windows) != 1 {
		t.Error("it is not looked at again")
	}
	f.mute(1) // it has windows and no accessibility
	_, err = a.Look(t.Context(), desktop.Limits{})
	wantFault(t, err, fault.Timeout, "shows no windows")
	a.options.Alive = func(int) error { return syscall.ESRCH }
	f.hang(1)
	_, err = a.Look(t.Context(), desktop.Limits{})
	wantFault(t, err, fault.AppNotRunning, "process 4242 has ended")
}

// TestSilentElementIsLeftOut: a silent element is left out and reported; several mean that the process hangs.
func TestSilentElementIsLeftOut(t *testing.T) {
	a, f := open(t)
	f.silence(buttonID)
	tree := look(t, a)
	if tree.Left != 1 || tree.LeftWhy != "an element did not answer" || len(tree.Windows[0].Children) != 13 {
		t.Errorf("left %d: %q, %d children", tree.Left, tree.LeftWhy, len(tree.Windows[0].Children))
	}
	f.silence(labelID)
	f.silence(groupID)
	_, err := a.Look(t.Context(), desktop.Limits{})
	wantFault(t, err, fault.Timeout, "does not answer")
}

func TestMissingPermissionIsForbidden(t *testing.T) {
	d, f := newDesktop(t, built.now)
	f.trust(0)
	says := []string{"Privacy & Security → Accessibility", "the program that started the daemon", "terminal"}
	_, err := d.Open(t.Context(), pid)
	wantFault(t, err, fault.Forbidden, says...)
	_, err = d.Prepare(t.Context(), nil)
	wantFault(t, err, fault.Forbidden, says...)
	f.trust(1)
	if more, err := d.Prepare(t.Context(), nil); more != nil || err != nil {
		t.Error(more, err)
	}
	a, err := d.Open(t.Context(), pid)
	if err != nil {
		t.Fatal(err)
	}
	key := find(t, look(t, a.(*App)), "Action").Key
	f.trust(0) // withdrawn while we look
	_, err = a.Look(t.Context(), desktop.Limits{})
	wantFault(t, err, fault.Forbidden, says...)
	wantFault(t, a.Perform(t.Context(), key, desktop.Press), fault.Forbidden, says...)
	wantFault(t, a.Type(t.Context(), "x"), fault.Forbidden, says...)
	f.trust(1)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = a.Look(t.Context(), desktop.Limits{})
	wantFault(t, err, fault.AppNotRunning, "is closed")
}

// TestOpenRefusesForeignAndDeadProcesses: also the seed's bogus pid, which must not panic.
func TestOpenRefusesForeignAndDeadProcesses(t *testing.T) {
	d, _ := newDesktop(t, built.now)
	d.options.Alive = alive
	for _, dead := range []int{0, -1, 1 << 30} {
		_, err := d.Open(t.Context(), dead)
		wantFault(t, err, fault.AppNotRunning, "has ended")
	}
	d.options.Alive = func(int) error { return syscall.EPERM }
	_, err := d.Open(t.Context(), 1)
	wantFault(t, err, fault.Forbidden, "process 1 belongs to another user")
	d.options.Alive = func(int) error { return nil }
	a, err := d.Open(t.Context(), pid+1) // it lives and has no windows
	if err != nil {
		t.Fatal(err)
	}
	_, err = a.Look(t.Context(), desktop.Limits{})
	wantFault(t, err, fault.Timeout, "shows no windows")
	if err := a.Close(); err != nil {
		t.Error(err)
	}
}

// TestMissingLibraryIsFault: another macOS is a fault and not a panic.
func TestMissingLibraryIsFault(t *testing.T) {
	paths := libraries(built.now)
	paths.CoreGraphics = "/nowhere/CoreGraphics"
	_, err := New(Options{Libraries: paths}).Prepare(t.Context(), nil)
	wantFault(t, err, fault.Unsupported, "cannot load /nowhere/CoreGraphics")
	paths.CoreGraphics = "libm.so.6"
	_, err = New(Options{Libraries: paths}).Windows(t.Context(), nil)
	wantFault(t, err, fault.Unsupported, "libm.so.6 has no CGEventSourceCreate")
}

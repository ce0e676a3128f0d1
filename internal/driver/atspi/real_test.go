package atspi

import (
	"context"
	"fmt"
	"image"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jezek/xgb/xproto"

	"ios-agent/internal/desktop"
	"ios-agent/internal/driver/x11"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/machine/processes"
	"ios-agent/internal/ui"
	"ios-agent/test/xdesktop"
)

// stage is a desktop with a window manager, prepared for programs, and how they are opened.
type stage struct {
	*xdesktop.Session
	t *testing.T
	d *Desktop
}

func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{xdesktop.Start(t), t, New(Options{Patience: time.Minute, Getenv: env()})}
	more, err := s.d.Prepare(t.Context(), s.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	s.Env = append(s.Env, more...)
	return s
}

// player is a program that is driven, with its last look.
type player struct {
	*App
	t    *testing.T
	tree *desktop.Tree
}

// open opens a program and waits for a window.
func (s *stage) open(p *xdesktop.Program) *player {
	s.t.Helper()
	app, err := s.d.Open(s.t.Context(), p.PID)
	if err != nil {
		s.t.Fatalf("%v; it printed %q", err, p.Lines())
	}
	s.t.Cleanup(func() { app.Close() })
	a := &player{app.(*App), s.t, nil}
	xdesktop.Eventually(s.t, "a window", func() bool {
		own, err := a.screen.windows(a.pid)
		return err == nil && len(own) > 0 && len(a.look().Windows) > 0
	})
	return a
}

func (p *player) look() *desktop.Tree {
	p.t.Helper()
	p.tree = look(p.t, p.App)
	return p.tree
}

// find waits for an element by its role and title.
func (p *player) find(role, title string) (found *desktop.Node) {
	p.t.Helper()
	late := time.NewTimer(time.Minute)
	defer late.Stop()
	poll := time.NewTicker(50 * time.Millisecond)
	defer poll.Stop()
	for {
		p.look().Walk(func(n *desktop.Node) bool {
			if n.Role == role && n.Title == title {
				found = n
			}
			return found == nil
		})
		if found != nil {
			return found
		}
		select {
		case <-poll.C:
		case <-late.C:
			p.t.Fatalf("no %s %q in\n%s", role, title, outline(p.tree))
		}
	}
}

func (p *player) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *player) press(role, title string) {
	p.t.Helper()
	p.must(p.Perform(p.t.Context(), p.find(role, title).Key, desktop.Press))
}

func (p *player) click(n *desktop.Node) {
	p.t.Helper()
	if n.Bounds == nil {
		p.t.Fatalf("%s %q is nowhere", n.Role, n.Title)
	}
	p.must(p.Click(p.t.Context(), n.Bounds.Centre(), 1, 1))
}

func (p *player) chord(key string, m desktop.Modifiers) {
	p.t.Helper()
	k, err := desktop.KeyOf(key)
	p.must(err)
	p.must(p.Press(p.t.Context(), desktop.Chord{Key: k, Modifiers: m}, 1))
}

// tell is what a program of the session prints.
func (s *stage) tell(name string, args ...string) string {
	s.t.Helper()
	out, err := s.try(name, args...)
	if err != nil {
		s.t.Fatal(err)
	}
	return out
}

func (s *stage) try(name string, args ...string) (string, error) {
	h, err := host.New(host.Options{})
	if err != nil {
		return "", err
	}
	defer h.Close()
	out, err := h.Run(s.t.Context(), host.Cmd{Name: name, Args: args, Env: s.Env})
	if err != nil {
		return "", fmt.Errorf("%w\n%s", err, out.Stderr)
	}
	return string(out.Stdout), nil
}

// amount is the number behind a word that the test program printed last.
func amount(line, word string) float64 {
	rest, is := strings.CutPrefix(line, word+" ")
	n, err := strconv.ParseFloat(rest, 64)
	if !is || err != nil {
		return -1
	}
	return n
}

// TestRealGTK3AppObeysInputs drives the test program, whose output about its widgets is the witness.
func TestRealGTK3AppObeysInputs(t *testing.T) {
	s := newStage(t)
	p := s.Run(s.App())
	p.Await("ready")
	a := s.open(p)
	if a.tree.Toolkit == "" || !strings.HasPrefix(a.tree.Toolkit, "gtk 3.") {
		t.Errorf("toolkit %q", a.tree.Toolkit)
	}

	a.press("AXCheckBox", "Bold")
	p.Await("toggle 1")
	a.click(a.find("AXCheckBox", "Enabled"))
	p.Await("check 1")
	if n := a.find("AXCheckBox", "Enabled"); n.Value == nil || *n.Value != "1" {
		t.Error("the check box is not checked in the tree")
	}
	a.must(a.SetNumber(t.Context(), a.find("AXSlider", "Volume").Key, 0.25))
	p.Await("slider 0.25")
	a.must(a.SetNumber(t.Context(), a.find("AXIncrementor", "Count").Key, 77))
	p.Await("spin 77")
	entry := a.find("AXTextField", "Name")
	a.must(a.SetText(t.Context(), entry.Key, "héllo 世界"))
	p.Await("entry héllo 世界")

	const typed = `Hello, Wörld! 世界 αβγ {x}~"q" 😀`
	a.must(a.Focus(t.Context(), entry.Key))
	a.chord("a", desktop.Command)
	a.must(a.Type(t.Context(), typed))
	p.Await("entry " + typed)
	a.must(a.Focus(t.Context(), a.find("AXTextField", "Password").Key))
	a.must(a.Type(t.Context(), "hunter2"))
	p.Await("secret hunter2")
	if n := a.find("AXTextField", "Password"); n.Subrole != "AXSecureTextField" || n.Value == nil || *n.Value != strings.Repeat(secretMark,
		7) {
		t.Errorf("the password is told: %v", n.Value)
	}

	notes := a.find("AXTextArea", "Notes")
	a.must(a.Scroll(t.Context(), a.visible(notes), 0, -5))
	p.AwaitLine(func(l string) bool { return amount(l, "scroll") > 10 })
	volume := a.find("AXSlider", "Volume").Bounds
	from := ui.Point{X: volume.X + volume.W/4, Y: volume.Y + volume.H - 8}
	var path []ui.Point
	for i := range 10 {
		path = append(path, ui.Point{X: from.X + float64(i+1)*volume.W/20, Y: from.Y})
	}
	a.must(a.Drag(t.Context(), desktop.Move{From: from, Path: path, Step: 16 * time.Millisecond, Hold: 16 * time.Millisecond}))
	p.AwaitLine(func(l string) bool { return amount(l, "slider") > 0.6 })
	source, target := a.find("AXStaticText", "Drag Source").Bounds.Centre(), a.find("AXStaticText", "Drop Here").Bounds.Centre()
	path = path[:0]
	for i := range 10 {
		part := float64(i+1) / 10
		path = append(path, ui.Point{X: source.X + (target.X-source.X)*part, Y: source.Y + (target.Y-source.Y)*part})
	}
	drop := desktop.Move{From: source, Path: path, Step: 16 * time.Millisecond, Hold: 16 * time.Millisecond, Pointer: true}
	a.must(a.Drag(t.Context(), drop)) // XTEST moves the pointer either way
	p.Await("dropped parcel")
	a.find("AXStaticText", "Drop Received")
	a.click(a.find("AXCell", "Beta"))
	p.Await("selected Beta")

	a.click(a.find("AXMenuBarItem", "File"))
	xdesktop.Eventually(t, "an open menu shows its items", func() bool {
		n := a.find("AXMenuItem", "Quit")
		return n.Bounds != nil && !n.Hidden
	})
	a.chord("escape", 0)
	xdesktop.Eventually(t, "a closed menu does not", func() bool { return a.find("AXMenuItem", "Quit").Bounds == nil })

	a.chord("o", desktop.Command)
	p.Await("dialog open")
	a.find("AXWindow", "Choose")
	if top := a.tree.Windows[len(a.tree.Windows)-1]; top.Title != "Choose" || len(a.tree.Windows) != 2 {
		t.Errorf("the dialog does not lie on top:\n%s", outline(a.tree))
	}
	a.press("AXButton", "Fine")
	p.Await("dialog answered 1")
	a.press("AXButton", "Modal") // it waits for its dialog inside of the press
	p.Await("modal open")
	a.press("AXButton", "Done")
	p.Await("modal 2")
	a.press("AXButton", "Action")
	p.AwaitLine(func(l string) bool { return strings.HasPrefix(l, "clicked") })

	// The keyboard is restored once the app is closed.
	other := s.open(p)
	lent := func() bool {
		k, err := other.screen.keyboard()
		if err != nil {
			t.Fatal(err)
		}
		_, _, has := k.Find(x11.SymOf('世'))
		return has
	}
	if !lent() {
		t.Error("no key has 世 while the app is open: the test looks for the wrong thing")
	}
	a.must(a.App.Close())
	if lent() {
		t.Error("the keyboard was left changed")
	}
}

// visible is a point of an element inside of its window.
func (p *player) visible(n *desktop.Node) ui.Point {
	p.t.Helper()
	part := *n.Bounds
	for _, w := range p.tree.Windows {
		if w.Bounds != nil {
			part = part.Intersect(*w.Bounds)
		}
	}
	if part.Empty() {
		p.t.Fatalf("%q does not show", n.Title)
	}
	return ui.Point{X: part.X + part.W/2, Y: part.Y + min(part.H/2, 20)}
}

// TestRealGTK3AppReportsTrueOutcomes: answers do not claim anything false.
func TestRealGTK3AppReportsTrueOutcomes(t *testing.T) {
	s := newStage(t)
	binary := s.App()
	p := s.Run(binary)
	p.Await("ready")
	a := s.open(p)

	off := a.find("AXButton", "Off")
	if off.Enabled {
		t.Error("the insensitive button is enabled")
	}
	before := outline(a.tree)
	a.click(off)
	if err := a.Perform(t.Context(), off.Key, desktop.Press); err != nil && !isUnsupported(err) {
		t.Error(err)
	}
	a.press("AXButton", "Replace") // it answers in order: what came before has been done by now
	p.Await("replaced 1")
	if slices.ContainsFunc(p.Lines(), func(l string) bool { return strings.HasPrefix(l, "off") }) {
		t.Errorf("the insensitive button was pressed: %q", p.Lines())
	}
	after := outline(a.look())
	if i := strings.Index(after, "AXButton \"Off\""); !strings.Contains(before, after[i:i+30]) {
		t.Errorf("%s\n%s", before, after)
	}

	old := a.find("AXButton", "Fresh 1")
	a.press("AXButton", "Replace")
	p.Await("replaced 2")
	if fresh := a.find("AXButton", "Fresh 2"); fresh.Key == old.Key {
		t.Errorf("another button has the key %s", old.Key)
	}
	if err := a.Perform(t.Context(), old.Key, desktop.Press); !isGone(err) {
		t.Errorf("a button that is gone: %v", err)
	}

	// A drag that is cancelled in the middle releases the button.
	ctx, cancel := context.WithCancel(t.Context())
	far := make([]ui.Point, 1000)
	for i := range far {
		far[i] = ui.Point{X: off.Bounds.X + float64(i%50), Y: off.Bounds.Y + 4}
	}
	count := a.Events()
	go func() {
		a.Next(ctx, count) // or the test ends
		cancel()
	}()
	time.AfterFunc(100*time.Millisecond, cancel)
	if err := a.Drag(ctx, desktop.Move{From: off.Bounds.Centre(), Path: far, Step: 20 * time.Millisecond}); err == nil {
		t.Error("a drag of 20 s was done")
	}
	xdesktop.Eventually(t, "no button is held", func() bool { // a window manager may look at clicks before others do
		q, err := xproto.QueryPointer(a.screen.conn, a.screen.root).Reply()
		return err == nil && q.Mask&xproto.KeyButMaskButton1 == 0
	})

	// A program that was stopped is not waited for.
	a.must(processes.Suspend(p.PID))
	a.bus.answer = 500 * time.Millisecond
	if _, err := a.Look(t.Context(), desktop.Limits{}); !fault.Is(err, fault.Timeout) {
		t.Errorf("a stopped program: %v", err)
	}
	a.must(processes.Resume(p.PID))
	a.bus.answer = time.Minute
	a.look()

	// Another program's window is above: the target window comes to the front.
	second := s.Run(binary, "Second")
	second.Await("ready")
	b := s.open(second)
	wins, err := s.d.Windows(t.Context(), s.Getenv)
	if err != nil || len(wins) != 2 {
		t.Fatalf("%+v %v", wins, err)
	}
	for _, w := range wins {
		said := s.tell("xprop", "-id", w.ID, "_NET_WM_PID", "_NET_WM_NAME")
		if !strings.Contains(said, fmt.Sprintf("_NET_WM_PID(CARDINAL) = %d", w.PID)) || !strings.Contains(said, fmt.Sprintf("%q", w.Title)) ||
			w.App != "app" {
			t.Errorf("%+v, and xprop says %s", w, said)
		}
	}
	a.click(a.find("AXButton", "Action"))
	p.AwaitLine(func(l string) bool { return strings.HasPrefix(l, "clicked") })
	if slices.ContainsFunc(second.Lines(), func(l string) bool { return strings.HasPrefix(l, "clicked") }) {
		t.Error("the other program got the click")
	}
	b.must(b.Focus(t.Context(), b.find("AXTextField", "Name").Key))
	b.must(b.Type(t.Context(), "mine"))
	second.Await("entry mine")

	// A window that is closed under us.
	key := a.find("AXButton", "Action").Key
	a.press("AXMenuItem", "Quit")
	<-p.Done()
	if _, err := a.Look(t.Context(), desktop.Limits{}); !fault.Is(err, fault.AppNotRunning) {
		t.Errorf("a look at a program that ended: %v", err)
	}
	if err := a.Perform(t.Context(), key, desktop.Press); err == nil {
		t.Error("a press in a program that ended worked")
	}
	if err := a.Click(t.Context(), ui.Point{X: 1, Y: 1}, 1, 1); err == nil {
		t.Error("a click at no window worked")
	}
}

// TestRealPicturesShowWindowAtItsPlace: a picture shows the window at its place, without the part off the screen.
func TestRealPicturesShowWindowAtItsPlace(t *testing.T) {
	s := newStage(t)
	p := s.Run(s.App())
	p.Await("ready")
	a := s.open(p)
	window := a.look().Windows[0]
	picture, at, err := a.Capture(t.Context(), "")
	a.must(err)
	said := s.tell("xwininfo", "-name", "Test App")
	field := func(name string) float64 {
		m := regexp.MustCompile(name + `:\s+(-?\d+)`).FindStringSubmatch(said)
		if m == nil {
			t.Fatalf("no %s in %s", name, said)
		}
		n, _ := strconv.ParseFloat(m[1], 64) // digits
		return n
	}
	want := ui.Rect{X: field("Absolute upper-left X"), Y: field("Absolute upper-left Y"), W: field("Width"), H: field("Height")}
	if at != want || window.Bounds.Intersect(want) != want || window.Bounds.W > want.W+60 || window.Bounds.H > want.H+60 {
		t.Errorf("the picture is at %v, the window at %v, and xwininfo says %v", at, *window.Bounds, want)
	}
	if b := picture.Bounds(); float64(b.Dx()) != want.W || float64(b.Dy()) != want.H || colours(picture) < 10 {
		t.Errorf("%v with %d colours", b, colours(picture))
	}
	if again, _, err := a.Capture(t.Context(), a.find("AXButton", "Action").Key); err != nil || again.Bounds() != picture.Bounds() {
		t.Errorf("by a key: %v", err)
	}
	if _, _, err := a.Capture(t.Context(), ":1.5/x#0"); !isGone(err) {
		t.Errorf("of nothing: %v", err)
	}
	own, err := a.screen.windows(a.pid)
	a.must(err)
	move := func(x int32, there func(x float64) bool) {
		xproto.ConfigureWindow(a.screen.conn, own[0].id, xproto.ConfigWindowX, []uint32{uint32(x)})
		xdesktop.Eventually(t, "the window moves", func() bool {
			now, err := a.screen.windows(a.pid)
			return err == nil && len(now) == 1 && there(now[0].rect.X)
		})
	}
	move(-100, func(x float64) bool { return x < -50 })
	part, at, err := a.Capture(t.Context(), "")
	if err != nil || at.X != 0 || at.W >= want.W || float64(part.Bounds().Dx()) != at.W {
		t.Errorf("partly off the screen: %v at %v, %v", part.Bounds(), at, err)
	}
	xproto.UnmapWindow(a.screen.conn, own[0].id)
	xdesktop.Eventually(t, "a window that was taken away is a fault", func() bool {
		_, _, err := a.Capture(t.Context(), "")
		return fault.Is(err, fault.ScreenshotFailed)
	})
}

// colours is how many different ones a picture has.
func colours(picture image.Image) int {
	seen := map[any]bool{}
	b := picture.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y += 3 {
		for x := b.Min.X; x < b.Max.X; x += 3 {
			seen[picture.At(x, y)] = true
		}
	}
	return len(seen)
}

// TestRealCoveredWindowIsPictured: a window's picture has its own content even under another program's window.
func TestRealCoveredWindowIsPictured(t *testing.T) {
	s := newStage(t)
	binary := s.App()
	p := s.Run(binary)
	p.Await("ready")
	a := s.open(p)
	free, at, err := a.Capture(t.Context(), "")
	a.must(err)
	second := s.Run(binary, "Second")
	second.Await("ready")
	b := s.open(second)
	own, err := b.screen.windows(b.pid)
	b.must(err)
	xproto.ConfigureWindow(b.screen.conn, own[0].id, xproto.ConfigWindowX|xproto.ConfigWindowY|xproto.ConfigWindowStackMode,
		[]uint32{uint32(at.X) + 40, uint32(at.Y) + 40, xproto.StackModeAbove})
	b.must(b.screen.raise(t.Context(), own[0].id))
	target, err := a.screen.windows(a.pid)
	a.must(err)
	xdesktop.Eventually(t, "the second window lies over the first", func() bool { return a.screen.covered(target[0].id, at) })
	covered, _, err := a.Capture(t.Context(), "")
	a.must(err)
	if was, is := black(free), black(covered); is > was+0.02 || colours(covered) < colours(free)/2 {
		t.Errorf("got a picture that is black by %.2f with %d colours, want %.2f and %d", is, colours(covered), was, colours(free))
	}
}

// black is the share of a picture that is.
func black(picture image.Image) float64 {
	b := picture.Bounds()
	count := 0
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			if r, g, b, _ := picture.At(x, y).RGBA(); r+g+b == 0 {
				count++
			}
		}
	}
	return float64(count) / float64(b.Dx()*b.Dy())
}

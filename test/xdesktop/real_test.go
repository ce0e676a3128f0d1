package xdesktop_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/desktop"
	"ios-agent/internal/desktop/process"
	"ios-agent/internal/driver/atspi"
	desktopops "ios-agent/internal/ops/desktop"
	"ios-agent/internal/ui"
	"ios-agent/test/desktoptest"
	"ios-agent/test/xdesktop"
)

// rooms are the operations of desktop programs over a real desktop.
type rooms struct {
	*desktoptest.Room
	t     *testing.T
	stage *xdesktop.Session
	s     *process.Session
}

func realRooms(t *testing.T) *rooms {
	t.Helper()
	return roomsWith(t, atspi.Options{})
}

func roomsWith(t *testing.T, o atspi.Options) *rooms {
	t.Helper()
	stage := xdesktop.Start(t)
	o.Getenv = stage.Getenv
	r := &rooms{Room: desktoptest.Open(t, atspi.New(o)), t: t, stage: stage}
	r.Call.Env = map[string]string{}
	for _, pair := range stage.Env {
		name, value, _ := strings.Cut(pair, "=")
		r.Call.Env[name] = value
	}
	return r
}

// launch starts a program and waits for its first window.
func (r *rooms) launch(env []string, argv ...string) {
	r.t.Helper()
	s, err := r.Launch(r.t.Context(), r.Call, desktopops.DesktopLaunch{Argv: argv, Dir: r.stage.Dir(), Env: append(r.stage.Env, env...)})
	if err != nil {
		r.t.Fatal(err)
	}
	r.s = s
	xdesktop.Eventually(r.t, "a window", func() bool { return r.tree(desktop.Pick{}) != "" })
}

func (r *rooms) tree(p desktop.Pick) string {
	r.t.Helper()
	seen, err := r.Look(r.t.Context(), r.Call, desktopops.Looking{Session: r.s.ID, Tree: true, Pick: p})
	if err != nil {
		return ""
	}
	return seen.Text
}

func (r *rooms) id(title string) string {
	r.t.Helper()
	return desktoptest.ElementID(r.t, r.tree(desktop.Pick{Verbose: true}), title)
}

func (r *rooms) act(in desktop.Request) desktopops.DesktopAction {
	r.t.Helper()
	in.Session = r.s.ID
	got, err := r.Act(r.t.Context(), r.Call, in)
	if err != nil {
		r.t.Fatal(err)
	}
	return got
}

func (r *rooms) click(title string) desktopops.DesktopAction {
	r.t.Helper()
	id := r.id(title)
	return r.act(desktop.Request{Action: desktop.Click, ID: &id})
}

// printed waits until the program has printed a line.
func (r *rooms) printed(line string) {
	r.t.Helper()
	xdesktop.Eventually(r.t, line, func() bool { return strings.Contains(r.s.Status().Stdout.Text, line+"\n") })
}

// TestRealModalDialogIsNotClickedThrough: a program that waits for its dialog inside of a press is not pressed once more behind it.
func TestRealModalDialogIsNotClickedThrough(t *testing.T) {
	r := realRooms(t)
	r.launch(nil, r.stage.App())
	if got := r.click("Modal"); !got.Success {
		t.Fatalf("got %+v, want the dialog opened", got)
	}
	r.printed("modal open")
	got := r.click("Action")
	if got.Success || !strings.Contains(got.Error, `covered by dialog "Modal"`) || !strings.Contains(got.Advice, `button "Done"`) {
		t.Errorf("got %+v, want what covers the button, and the way out", got)
	}
	if strings.Contains(r.s.Status().Stdout.Text, "clicked") {
		t.Error("the button behind the dialog was pressed")
	}
	r.click("Done")
	r.printed("modal 2")
	r.click("Action")
	r.printed("clicked 1")
}

// TestRealRowOutOfSightIsScrolledToAndClicked: a row that is scrolled out has no place on the screen before.
func TestRealRowOutOfSightIsScrolledToAndClicked(t *testing.T) {
	r := realRooms(t)
	r.launch(nil, r.stage.App())
	for _, row := range []string{"Theta", "Alpha"} {
		if got := r.click(row); !got.Success {
			t.Fatalf("%s: got %+v, want it clicked", row, got)
		}
		r.printed("selected " + row)
	}
}

// TestRealSliderKeepsToItsRange: the toolkit would take the nearest value and say nothing.
func TestRealSliderKeepsToItsRange(t *testing.T) {
	r := realRooms(t)
	r.launch(nil, r.stage.App())
	id := r.id("Volume")
	got := r.act(desktop.Request{Action: desktop.SetValue, ID: &id, Value: []byte(`7`)})
	if got.Success || !strings.Contains(got.Error, "0 to 1") {
		t.Errorf("got %+v, want the range", got)
	}
	if got := r.act(desktop.Request{Action: desktop.SetValue, ID: &id, Value: []byte(`"0.25"`)}); !got.Success {
		t.Errorf("got %+v, want a number that comes as a text taken", got)
	}
	r.printed("slider 0.25")
}

// TestRealProgramWithoutTreeTakesKeys: keys and pictures need a window and no more; what they came to is not made up.
func TestRealProgramWithoutTreeTakesKeys(t *testing.T) {
	r := realRooms(t)
	r.launch([]string{"NO_AT_BRIDGE=1"}, r.stage.App())
	key := "o"
	got := r.act(desktop.Request{Action: desktop.PressKey, Key: &key, Modifiers: []string{"ctrl"}})
	if !got.Success {
		t.Fatalf("got %+v, want the key pressed", got)
	}
	r.printed("dialog open")
	tab := "tab"
	got = r.act(desktop.Request{Action: desktop.PressKey, Key: &tab})
	if got.Outcome != ui.Unknown || !strings.Contains(got.Advice, "screenshot") {
		t.Errorf("got %+v, want that nobody knows what it changed", got)
	}
	seen, err := r.Look(t.Context(), r.Call, desktopops.Looking{Session: r.s.ID, Picture: true, Tree: true})
	if err != nil || seen.Picture == nil || seen.Picture.Width < 50 || seen.Total != 2 || len(seen.Left) == 0 {
		t.Errorf("got %+v, %v, want two windows, a picture, and that more is there", seen, err)
	}
}

// TestRealClickThatEndsProgramReportsExit: the answer to the last click says how the program left and what it printed.
func TestRealClickThatEndsProgramReportsExit(t *testing.T) {
	r := realRooms(t)
	r.launch(nil, r.stage.App())
	if got := r.click("Quit"); got.Outcome != ui.Changed || got.Ended == nil || got.Ended.How != "it exited with code 3" ||
		!slices.Contains(got.Ended.Logs, "quit") || !slices.Contains(got.Ended.Logs, "bye") {
		t.Errorf("got %+v and %+v, want how it ended and what it printed", got, got.Ended)
	}
}

// TestRealMenuItemOverWindowIsClicked: the items of an open menu are not under what the tree has after the bar of menus.
func TestRealMenuItemOverWindowIsClicked(t *testing.T) {
	r := realRooms(t)
	r.launch(nil, "mousepad")
	r.click("Search")
	if got := r.click("Go to..."); !got.Success {
		t.Fatalf("got %+v, want the item pressed, not covered by the text below the menu", got)
	}
	xdesktop.Eventually(t, "the dialog", func() bool { return strings.Contains(r.tree(desktop.Pick{Role: "AXDialog"}), "[AX") })
}

// TestRealQtRowIsClicked: Qt toggles a row by accessibility, and tells nobody that it was clicked.
func TestRealQtRowIsClicked(t *testing.T) {
	r := realRooms(t)
	found, err := filepath.Glob("/usr/lib/*/qt5/examples/widgets/mainwindows/dockwidgets/dockwidgets")
	if err != nil || len(found) == 0 {
		t.Fatalf("no Qt example: %v", err)
	}
	r.launch(nil, found[0])
	const row = "Thank you for your payment which we have received today."
	got := r.click(row)
	if !got.Success || got.Method != "xtest" {
		t.Errorf("got %+v, want a click of the mouse", got)
	}
	xdesktop.Eventually(t, "the letter has the paragraph", func() bool {
		return strings.Contains(r.tree(desktop.Pick{Role: "AXTextArea", Verbose: true}), "Thank you for your payment")
	})
}

const choices = `<!doctype html><title>Order</title><p>Now <b>bold</b> and <a href="#">a link</a> here</p>
<label>Colour <select id=colour onchange="document.title='Colour '+this.value"><option>Red<option>Green<option>Blue</select></label>
<div contenteditable aria-label=Note>one <img src="data:," alt=x> two</div>`

// TestRealChromiumSelectShowsAndTakesValue: what a select shows is its value, and one of its options can be chosen; no text has the mark of
// an object in it.
func TestRealChromiumSelectShowsAndTakesValue(t *testing.T) {
	r := realRooms(t)
	page := filepath.Join(r.stage.Dir(), "page.html")
	if err := os.WriteFile(page, []byte(choices), 0o600); err != nil {
		t.Fatal(err)
	}
	r.launch(nil, "chromium", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage",
		"--user-data-dir="+filepath.Join(r.stage.Dir(), "profile"), "--force-renderer-accessibility", "--test-type", "--disable-extensions",
		"--password-store=basic", "--window-size=900,700", "file://"+page)
	xdesktop.Eventually(t, "the page", func() bool { return strings.Contains(r.tree(desktop.Pick{Text: "Colour"}), "Colour") })
	if whole := r.tree(desktop.Pick{}); strings.Contains(whole, "\uFFFC") {
		t.Errorf("got U+FFFC in the tree:\n%s", whole)
	}
	xdesktop.Eventually(t, "the pop-up has the value Red", func() bool { // the options come after the page
		return strings.Contains(r.tree(desktop.Pick{Role: "AXPopUpButton"}), `value="Red"`)
	})
	pop := r.tree(desktop.Pick{Verbose: true, Role: "AXPopUpButton"}) // its label has the same title
	id := desktoptest.ElementID(t, pop, "Colour")
	if got := r.act(desktop.Request{Action: desktop.SetValue, ID: &id, Value: []byte(`"Yellow"`)}); got.Success ||
		!strings.Contains(got.Error, `"Green"`) {
		t.Errorf("got %+v, want the choices there are", got)
	}
	if got := r.act(desktop.Request{Action: desktop.SetValue, ID: &id, Value: []byte(`"Blue"`)}); !got.Success {
		t.Errorf("got %+v, want it chosen", got)
	}
	xdesktop.Eventually(t, "the page knows the choice", func() bool {
		return strings.Contains(r.tree(desktop.Pick{Role: "AXPopUpButton"}), `value="Blue"`) &&
			strings.Contains(r.tree(desktop.Pick{Depth: 1}), "Colour Blue")
	})
}

//go:build macaxfake

package macax

import (
	"errors"
	"image/color"
	"slices"
	"testing"

	"ios-agent/internal/desktop"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
)

func TestCaptureReturnsWindowPicture(t *testing.T) {
	a, f := open(t)
	second := f.second()
	p, at, err := a.Capture(t.Context(), "") // the largest
	if err != nil {
		t.Fatal(err)
	}
	if at != (ui.Rect{X: 100, Y: 50, W: 400, H: 900}) || p.Bounds().Dx() != 800 || p.Bounds().Dy() != 1800 {
		t.Errorf("%v of %v", p.Bounds(), at)
	}
	for _, xy := range [][2]int{{0, 0}, {7, 3}, {200, 100}} {
		if got, want := p.At(xy[0], xy[1]), (color.RGBA{R: uint8(xy[0]), G: uint8(xy[1]), B: 1, A: 255}); got != want {
			t.Errorf("%v: %v, and not %v", xy, got, want)
		}
	}
	tree := look(t, a)
	if _, at, err = a.Capture(t.Context(), find(t, tree, "Second").Key); err != nil || at.W != 200 {
		t.Errorf("frame %v, error %v, want a width of 200", at, err)
	}
	if _, at, err = a.Capture(t.Context(), find(t, tree, "Alpha").Key); err != nil || at.W != 400 {
		t.Errorf("frame %v, error %v, want a width of 400", at, err)
	}
	f.minimize(second)
	_, _, err = a.Capture(t.Context(), find(t, tree, "Second").Key)
	wantFault(t, err, fault.ScreenshotFailed, "shows no window", "minimized")
	f.kill(second)
	_, _, err = a.Capture(t.Context(), find(t, tree, "Second").Key)
	if _, is := errors.AsType[*desktop.GoneError](err); !is {
		t.Error(err)
	}
	f.mayPicture(0)
	_, _, err = a.Capture(t.Context(), "")
	wantFault(t, err, fault.Forbidden, "Screen Recording", "the program that started the daemon")
}

// TestMissingOptionalFunctionsAllowClicks lacks the optional functions: the fault says so, and clicks still reach the process.
func TestMissingOptionalFunctionsAllowClicks(t *testing.T) {
	d, f := newDesktop(t, built.old)
	a, err := d.Open(t.Context(), pid)
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = a.Capture(t.Context(), "")
	wantFault(t, err, fault.ScreenshotFailed, "window 102", "screencapture -l 102", "Screen & System Audio Recording")
	if err := a.Click(t.Context(), ui.Point{X: 150, Y: 100}, 1, 1); err != nil || find(t, look(t, a.(*App)), "Clicked: 1") == nil {
		t.Errorf("click: %v, events %s", err, f.told())
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
}

func TestPixelsFollowBitmapFormat(t *testing.T) {
	for info, want := range map[uint32][4]int{
		orderLittle | alphaPremulFirst: {2, 1, 0, 3}, orderBig | alphaPremulLast: {0, 1, 2, 3}, alphaPremulLast: {0, 1, 2, 3},
		orderLittle | alphaSkipFirst: {2, 1, 0, 3}, alphaSkipFirst: {1, 2, 3, 0}, orderLittle | alphaPremulLast: {3, 2, 1, 0},
	} {
		if got, _, known := pixels(info); !known || got != want {
			t.Errorf("%#x: %v", info, got)
		}
	}
	for _, info := range []uint32{1<<12 | alphaPremulFirst, 3<<12 | alphaPremulLast, orderLittle | 7} { // 16 bits, alpha alone
		if _, _, known := pixels(info); known {
			t.Errorf("%#x is known", info)
		}
	}
}

func TestWindowsReportFocusAndMinimizedState(t *testing.T) {
	d, f := newDesktop(t, built.now)
	d.options.Alive = func(p int) error {
		if p != pid {
			return errors.New("another user's")
		}
		return nil
	}
	list := func() []desktop.Window {
		t.Helper()
		all, err := d.Windows(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	first := desktop.Window{ID: "102", PID: pid, App: "Fake", Title: "Test App", Bounds: ui.Rect{X: 100, Y: 50, W: 400, H: 900}}
	focused := first
	focused.Focused = true
	if got := list(); !slices.Equal(got, []desktop.Window{focused}) {
		t.Errorf("%+v", got)
	}
	second := f.second()
	f.minimize(windowID)
	minimized := first
	minimized.Hidden = true
	front := desktop.Window{ID: "123", PID: pid, App: "Fake", Title: "Second", Bounds: ui.Rect{X: 150, Y: 80, W: 200, H: 100}, Focused: true}
	if got := list(); !slices.Equal(got, []desktop.Window{front, minimized}) || second != 23 {
		t.Errorf("%+v", got)
	}
	f.mayPicture(0) // then the window server tells no titles, and accessibility does
	if got := list(); !slices.Equal(got, []desktop.Window{front, minimized}) {
		t.Errorf("%+v", got)
	}
	f.trust(0) // withdraw the permission
	front.Title, front.Focused = "", false
	if got := list(); !slices.Equal(got, []desktop.Window{front}) {
		t.Errorf("%+v", got)
	}
	f.trust(1)
	f.hang(1)
	if got := list(); !slices.Equal(got, []desktop.Window{front}) {
		t.Errorf("%+v", got)
	}
}

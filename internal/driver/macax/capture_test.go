//go:build macaxfake

package macax

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ios-agent/internal/desktop"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/host"
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

// TestScreencaptureTakesPictureThatFunctionDoesNot: CGWindowListCreateImage is missing, or returns nothing.
func TestScreencaptureTakesPictureThatFunctionDoesNot(t *testing.T) {
	var argv []string
	refuse := false
	runner, err := host.New(host.Options{Inside: func(name string) host.Main {
		return func(_ context.Context, in host.Invocation) int {
			argv = append([]string{name}, in.Args...)
			if refuse {
				fmt.Fprintln(in.Stderr, "could not create image from window")
				return 1
			}
			file := in.Args[len(in.Args)-1]
			for path, mode := range map[string]fs.FileMode{file: 0o600, filepath.Dir(file): fs.ModeDir | 0o700} {
				if is, err := os.Stat(path); err != nil || is.Mode() != mode {
					t.Errorf("%s: %v, %v, want mode %v", path, is.Mode(), err, mode)
				}
			}
			p := image.NewRGBA(image.Rect(0, 0, 800, 1800))
			p.Set(7, 3, color.RGBA{R: 7, G: 3, B: 1, A: 255})
			var b bytes.Buffer
			if err := errors.Join(png.Encode(&b, p), os.WriteFile(file, b.Bytes(), 0o600)); err != nil {
				t.Error(err)
			}
			return 0
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	for name, library := range map[string]string{"missing": built.old, "without a result": built.now} {
		d, f := newDesktop(t, library)
		d.options.Host, refuse = runner, false
		f.noImage(1)
		a, err := d.Open(t.Context(), pid)
		if err != nil {
			t.Fatal(err)
		}
		p, at, err := a.Capture(t.Context(), "")
		if err != nil || at.W != 400 || color.RGBAModel.Convert(p.At(7, 3)) != (color.RGBA{R: 7, G: 3, B: 1, A: 255}) {
			t.Fatalf("%s: %v, frame %v, want the picture", name, err, at)
		}
		file := argv[len(argv)-1]
		if want := []string{"/usr/sbin/screencapture", "-x", "-o", "-t", "png", "-l", "102", file}; !slices.Equal(argv, want) {
			t.Errorf("%s: argv = %q, want %q", name, argv, want)
		}
		if _, err := os.Stat(filepath.Dir(file)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v, want the folder removed", name, err)
		}
		refuse = true
		_, _, err = a.Capture(t.Context(), "")
		wantFault(t, err, fault.ScreenshotFailed, "could not create image from window", "Screen & System Audio Recording")
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestPermissionsAreAskedForOnce: the first refusal of each permission has macOS ask; each fault names the pane and the program.
func TestPermissionsAreAskedForOnce(t *testing.T) {
	a, f := open(t)
	me, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := a.Capture(t.Context(), ""); err != nil || f.asked() != 0 {
		t.Errorf("%v, asked %d, want no question about a permission that is there", err, f.asked())
	}
	f.trust(0)
	f.mayPicture(0)
	for i, program := range []string{"the program that started the daemon (the terminal", me} {
		if i > 0 {
			f.responsible(int32(os.Getpid()))
		}
		_, err := a.Look(t.Context(), desktop.Limits{})
		wantFault(t, err, fault.Forbidden, "System Settings → Privacy & Security → Accessibility", program)
		wantFault(t, a.Type(t.Context(), "x"), fault.Forbidden, "Accessibility")
		_, _, err = a.Capture(t.Context(), "")
		wantFault(t, err, fault.Forbidden, "System Settings → Privacy & Security → Screen & System Audio Recording", program)
	}
	if f.asked() != 11 {
		t.Errorf("asked %d, want each question once", f.asked())
	}
	if got := bundle("/Applications/iTerm.app/Contents/MacOS/iTerm2"); got != "/Applications/iTerm.app" {
		t.Errorf("bundle = %q, want the app", got)
	}
}

// TestLockedOrAbsentScreenIsNamed: input would go to the lock screen, and a daemon that was started over SSH has no windows.
func TestLockedOrAbsentScreenIsNamed(t *testing.T) {
	for session, want := range map[int32]struct {
		code       fault.Code
		says, hint string
	}{
		0: {fault.ToolFailed, "no user is logged in at this Mac's screen", "Screen Sharing"},
		2: {fault.DeviceLocked, "the screen of this Mac is locked", "caffeinate -d"},
	} {
		t.Run(want.says, func(t *testing.T) {
			a, f := open(t)
			f.session(session)
			_, _, err := a.Capture(t.Context(), "")
			wantFault(t, err, want.code, want.says, want.hint)
			wantFault(t, a.Type(t.Context(), "x"), want.code, want.says, want.hint)
			wantFault(t, a.Click(t.Context(), ui.Point{X: 150, Y: 100}, 1, 1), want.code, want.says, want.hint)
			if said := f.told(); said != "" {
				t.Errorf("events %q, want none", said)
			}
			f.session(1)
			if err := a.Click(t.Context(), ui.Point{X: 150, Y: 100}, 1, 1); err != nil {
				t.Errorf("after the user is there: %v", err)
			}
		})
	}
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

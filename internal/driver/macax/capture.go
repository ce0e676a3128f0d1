//go:build darwin || macaxfake

package macax

import (
	"cmp"
	"context"
	"image"
	"math"
	"slices"

	"ios-agent/internal/desktop"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
)

// Numbers from CGWindow.h and CGImage.h.
const (
	imageWithoutFrame = 1 << 0 // kCGWindowImageBoundsIgnoreFraming: without the shadow
	alphaMask         = 0x1F
	alphaNone         = 0 // kCGImageAlphaNone
	alphaPremulLast   = 1
	alphaPremulFirst  = 2
	alphaSkipLast     = 5
	alphaSkipFirst    = 6
	orderMask         = 0x7000
	orderLittle       = 2 << 12 // kCGBitmapByteOrder32Little
	orderBig          = 4 << 12 // kCGBitmapByteOrder32Big
	mostPixels        = 64 << 20
)

// Capture takes a picture of the process's largest window, or of an element's window, and returns the window's frame in points.
func (a *App) Capture(ctx context.Context, key string) (picture image.Image, at ui.Rect, err error) {
	err = a.do(ctx, func() error {
		l := a.lib
		if l.mayCapture != nil && !l.mayCapture() {
			return errBlind()
		}
		w, err := a.windowOf(key)
		if err != nil {
			return err
		}
		at = w.bounds
		picture, err = l.picture(w)
		return err
	})
	return picture, at, err
}

// windowOf finds the window for a picture.
func (a *App) windowOf(key string) (window, error) {
	all := a.lib.ofProcess(a.pid)
	hidden := fault.New(fault.ScreenshotFailed, "process %d shows no window", a.pid).
		WithHint("bring a window up first: windows that are minimized, hidden or on another space cannot be captured")
	if key == "" {
		if len(all) == 0 {
			return window{}, hidden
		}
		return slices.MaxFunc(all, func(x, y window) int { return cmp.Compare(x.bounds.W*x.bounds.H, y.bounds.W*y.bounds.H) }), nil
	}
	e := a.elements.byKey[key]
	if e == nil || e.window == nil || a.elements.byKey[e.window.key] != e.window {
		return window{}, &desktop.GoneError{Key: key}
	}
	f, code := a.read(e.window.ref)
	defer f.release(a.lib)
	if code != axSuccess || f.node == nil || f.node.Bounds == nil {
		return window{}, cmp.Or(a.fail(code, e.window, "report its place"), error(hidden))
	}
	same := slices.DeleteFunc(all, func(w window) bool { return !near(w.bounds, *f.node.Bounds) })
	if len(same) == 0 {
		return window{}, hidden
	}
	if i := slices.IndexFunc(same, func(w window) bool { return w.title == f.node.Title }); i > 0 {
		return same[i], nil
	}
	return same[0], nil
}

// picture takes the picture of a window.
func (l *library) picture(w window) (image.Image, error) {
	failed := fault.New(fault.ScreenshotFailed, "macOS returned no picture of window %d", w.id).
		WithHint("allow the program that started the daemon in System Settings → Privacy & Security → Screen & System Audio Recording; "+
			"run `screencapture -l %d window.png` in a terminal to check whether macOS allows any capture", w.id)
	if l.createImage == nil {
		return nil, failed.With("missing", "CGWindowListCreateImage")
	}
	null := cgRect{X: math.Inf(1), Y: math.Inf(1)} // CGRectNull: as large as the window
	object := l.createImage(null, listThisWindow, w.id, imageWithoutFrame)
	if object == 0 {
		return nil, failed
	}
	defer l.release(object)
	width, height, row := int(l.imageWidth(object)), int(l.imageHeight(object)), int(l.imageRow(object))
	if width <= 0 || height <= 0 || width > mostPixels/height {
		return nil, failed.With("width", width).With("height", height)
	}
	order, opaque, known := pixels(l.imageInfo(object))
	if !known || l.imageBits(object) != 32 || row < 4*width {
		return nil, fault.New(fault.ScreenshotFailed, "window %d has pixels of %d bits in an unknown order (%#x)",
			w.id, l.imageBits(object), l.imageInfo(object)).WithHint("run `screencapture -l %d window.png` in a terminal instead", w.id)
	}
	data := l.providerData(l.imageProvider(object))
	if data == 0 {
		return nil, failed
	}
	defer l.release(data)
	if l.dataLength(data) < row*(height-1)+4*width {
		return nil, failed
	}
	out := image.NewRGBA(image.Rect(0, 0, width, height))
	line := make([]byte, 4*width)
	for y := range height {
		l.dataBytes(data, y*row, len(line), line)
		to := out.Pix[y*out.Stride:]
		for x := 0; x < len(line); x += 4 {
			to[x], to[x+1], to[x+2], to[x+3] = line[x+order[0]], line[x+order[1]], line[x+order[2]], line[x+order[3]]
			if opaque {
				to[x+3] = 0xFF
			}
		}
	}
	return out, nil
}

// pixels returns the places of red, green, blue and alpha in the four bytes of a pixel. The window server uses the first row: BGRA.
func pixels(info uint32) (order [4]int, opaque, known bool) {
	alpha := info & alphaMask
	first := alpha == alphaPremulFirst || alpha == alphaSkipFirst
	last := alpha == alphaPremulLast || alpha == alphaSkipLast || alpha == alphaNone
	little := info&orderMask == orderLittle
	big := info&orderMask == orderBig || info&orderMask == 0
	switch {
	case first && little:
		order = [4]int{2, 1, 0, 3}
	case first && big:
		order = [4]int{1, 2, 3, 0}
	case last && little:
		order = [4]int{3, 2, 1, 0}
	case last && big:
		order = [4]int{0, 1, 2, 3}
	default:
		return order, false, false
	}
	return order, alpha != alphaPremulFirst && alpha != alphaPremulLast, true
}

//go:build darwin || macaxfake

package macax

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"ios-agent/internal/desktop"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/machine/regularfile"
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
	var w window
	err = a.do(ctx, func() (err error) {
		l := a.lib
		if l.mayCapture != nil && !l.mayCapture() {
			return l.errBlind()
		}
		if err := l.present(); err != nil {
			return err
		}
		if w, err = a.windowOf(key); err == nil && l.createImage != nil {
			picture, err = l.picture(w)
		}
		return err
	})
	if err == nil && picture == nil {
		picture, err = a.photograph(ctx, w)
	}
	return picture, w.bounds, err
}

// photographing is how long screencapture may take.
const photographing = 15 * time.Second

// photograph has Apple's screencapture take the picture: without a sound and a shadow, into a file of its own.
func (a *App) photograph(ctx context.Context, w window) (image.Image, error) {
	failed := func(err error) error {
		return fault.New(fault.ScreenshotFailed, "macOS returned no picture of window %d: %w", w.id, err).With("pane", recording).
			WithHint("allow %s in %s; run `screencapture -l %d window.png` in a terminal to check whether macOS allows any capture",
				a.lib.program(), recording, w.id)
	}
	if a.options.Host == nil {
		return nil, failed(errors.New("CGWindowListCreateImage took none, and no other way is set up"))
	}
	dir, err := os.MkdirTemp("", "screencapture-") // mode 0700
	if err != nil {
		return nil, failed(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "window.png")
	if err := os.WriteFile(path, nil, 0o600); err != nil { // so that screencapture does not choose the mode
		return nil, failed(err)
	}
	_, err = a.options.Host.Run(ctx, host.Cmd{
		Name: "/usr/sbin/screencapture", Args: []string{"-x", "-o", "-t", "png", "-l", strconv.FormatUint(uint64(w.id), 10), path},
		Timeout: photographing, Outputs: []string{path},
	})
	if err != nil {
		return nil, failed(err)
	}
	b, err := regularfile.Read(path, 4*mostPixels)
	if err != nil {
		return nil, failed(err)
	}
	is, err := png.DecodeConfig(bytes.NewReader(b))
	if err == nil && is.Width > mostPixels/is.Height {
		err = fmt.Errorf("%d × %d pixels are too many", is.Width, is.Height)
	}
	if err != nil {
		return nil, failed(err)
	}
	picture, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		return nil, failed(err)
	}
	return picture, nil
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

// picture takes the picture of a window; nil if macOS returns none.
func (l *library) picture(w window) (image.Image, error) {
	null := cgRect{X: math.Inf(1), Y: math.Inf(1)} // CGRectNull: as large as the window
	object := l.createImage(null, listThisWindow, w.id, imageWithoutFrame)
	if object == 0 {
		return nil, nil
	}
	defer l.release(object)
	width, height, row := int(l.imageWidth(object)), int(l.imageHeight(object)), int(l.imageRow(object))
	if width <= 0 || height <= 0 || width > mostPixels/height {
		return nil, fault.New(fault.ScreenshotFailed, "macOS returned a picture of %d × %d pixels of window %d", width, height, w.id)
	}
	order, opaque, known := pixels(l.imageInfo(object))
	if !known || l.imageBits(object) != 32 || row < 4*width {
		return nil, fault.New(fault.ScreenshotFailed, "window %d has pixels of %d bits in an unknown order (%#x)",
			w.id, l.imageBits(object), l.imageInfo(object)).WithHint("run `screencapture -l %d window.png` in a terminal instead", w.id)
	}
	data := l.providerData(l.imageProvider(object))
	if data == 0 {
		return nil, nil
	}
	defer l.release(data)
	if l.dataLength(data) < row*(height-1)+4*width {
		return nil, nil
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

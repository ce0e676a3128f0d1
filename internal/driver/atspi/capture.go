package atspi

import (
	"context"
	"fmt"
	"image"

	"github.com/jezek/xgb/xproto"

	"ios-agent/internal/desktop"
	"ios-agent/internal/driver/x11"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
)

// Capture takes a picture of the visible part of a window.
func (a *App) Capture(ctx context.Context, key string) (image.Image, ui.Rect, error) {
	d, err := a.see(ctx)
	if err != nil {
		return nil, ui.Rect{}, err
	}
	w, err := a.pictured(key)
	if err != nil {
		return nil, ui.Rect{}, err
	}
	failed := func(format string, args ...any) error {
		return fault.New(fault.ScreenshotFailed, format,
			args...).WithHint("bring the window to the screen: it may be minimized or outside of the screen")
	}
	part := w.rect.Intersect(ui.Rect{W: float64(d.size[0]), H: float64(d.size[1])})
	if !w.viewable || part.Empty() {
		return nil, ui.Rect{}, failed("the window %q of process %d is not on the screen", w.title, a.pid)
	}
	defer d.within(2 * longestX)()
	take := func(from xproto.Drawable) (*image.RGBA, error) {
		return d.take(from, part.X-w.rect.X, part.Y-w.rect.Y, part)
	}
	var picture *image.RGBA
	if d.covered(w.id, part) {
		picture, err = d.uncovered(ctx, w.id, take)
	} else {
		picture, err = take(xproto.Drawable(w.id))
	}
	if err != nil {
		return nil, ui.Rect{}, failed("cannot capture the window %q of process %d: %w", w.title, a.pid, err)
	}
	return picture, part, nil
}

// take reads a part of a window or of its own picture.
func (d *display) take(from xproto.Drawable, x, y float64, part ui.Rect) (*image.RGBA, error) {
	reply, err := xproto.GetImage(d.conn, xproto.ImageFormatZPixmap, from, int16(x), int16(y), uint16(part.W), uint16(part.H),
		^uint32(0)).Reply()
	if err != nil {
		return nil, err
	}
	picture, ok := d.decode(reply, int(part.W), int(part.H))
	if !ok {
		return nil, fmt.Errorf("the display %s has pictures of an unsupported depth (%d bits)", d.name, reply.Depth)
	}
	return picture, nil
}

// pictured is the window of an element, or the topmost window except menus and hints.
func (a *App) pictured(key string) (*xwindow, error) {
	own, err := a.screen.windows(a.pid)
	if err != nil {
		return nil, a.display(err)
	}
	if key != "" {
		s, known := a.seen[key]
		if !known || a.noted[s.window].x == nil {
			return nil, &desktop.GoneError{Key: key}
		}
		for i := range own {
			if own[i].id == a.noted[s.window].x.id {
				return &own[i], nil
			}
		}
		return nil, &desktop.GoneError{Key: key}
	}
	var top *xwindow
	for i := range own {
		if own[i].viewable && (top == nil || top.override || !own[i].override) {
			top = &own[i]
		}
	}
	if top == nil {
		return nil, fault.New(fault.ScreenshotFailed, "process %d has no window on the screen", a.pid).
			WithHint("wait until it shows a window, or restore a minimized one")
	}
	return top, nil
}

// decode converts pixels to a picture, by the masks of their visual.
func (d *display) decode(reply *xproto.GetImageReply, w, h int) (*image.RGBA, bool) {
	var per, pad int // bits
	for _, f := range d.setup.PixmapFormats {
		if f.Depth == reply.Depth {
			per, pad = int(f.BitsPerPixel), int(f.ScanlinePad)
		}
	}
	visual, ok := d.visual(reply.Visual, reply.Depth)
	if !ok {
		return nil, false
	}
	return x11.Pixels(reply.Data, w, h, x11.Format{Bits: per, Pad: pad, BigEnd: d.setup.ImageByteOrder != xproto.ImageOrderLSBFirst,
		Masks: [3]uint32{visual.RedMask, visual.GreenMask, visual.BlueMask}})
}

func (d *display) visual(id xproto.Visualid, depth byte) (found xproto.VisualInfo, ok bool) {
	for _, s := range d.setup.Roots {
		for _, allowed := range s.AllowedDepths {
			for _, v := range allowed.Visuals {
				if v.VisualId == id || !ok && allowed.Depth == depth {
					found, ok = v, true
				}
				if v.VisualId == id {
					return v, true
				}
			}
		}
	}
	return found, ok
}

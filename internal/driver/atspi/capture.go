package atspi

import (
	"context"
	"fmt"
	"image"
	"math/bits"

	"github.com/jezek/xgb/xproto"

	"ios-agent/internal/desktop"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
)

// Capture takes a picture of a window, as far as it is on the screen.
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
			args...).WithHint("bring the window to the screen: it may be minimized, or outside of it")
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
		return nil, ui.Rect{}, failed("the window %q of process %d cannot be pictured: %w", w.title, a.pid, err)
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
		return nil, fmt.Errorf("the display %s has pictures of %d bits, which cannot be read", d.name, reply.Depth)
	}
	return picture, nil
}

// pictured is the window of an element, or the one on top that is no menu and no hint.
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
			WithHint("wait until it shows one, or see whether all are closed or minimized")
	}
	return top, nil
}

// decode makes a picture of pixels, by the masks of the visual they are of.
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
	return pixels(reply.Data, w, h, format{per, pad, d.setup.ImageByteOrder != xproto.ImageOrderLSBFirst,
		[3]uint32{visual.RedMask, visual.GreenMask, visual.BlueMask}})
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

// format is how pixels lie in memory.
type format struct {
	bits, pad int
	bigEnd    bool
	masks     [3]uint32
}

// usualFormat is that of nearly all servers.
var usualFormat = format{32, 32, false, [3]uint32{0xFF0000, 0xFF00, 0xFF}}

func pixels(data []byte, w, h int, f format) (*image.RGBA, bool) {
	n := f.bits / 8
	if f.bits != 16 && f.bits != 24 && f.bits != 32 || f.pad < 8 || w <= 0 || h <= 0 {
		return nil, false
	}
	stride := (w*f.bits + f.pad - 1) / f.pad * f.pad / 8
	if len(data) < stride*h {
		return nil, false
	}
	var shift, wide [3]int
	for i, m := range f.masks {
		if shift[i], wide[i] = bits.TrailingZeros32(m), bits.OnesCount32(m); m == 0 || wide[i] > 16 {
			return nil, false
		}
	}
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	if f == usualFormat {
		for y := range h {
			from, to := data[y*stride:y*stride+4*w], img.Pix[y*img.Stride:]
			for i := 0; i < len(from); i += 4 {
				to[i], to[i+1], to[i+2], to[i+3] = from[i+2], from[i+1], from[i], 255
			}
		}
		return img, true
	}
	for y := range h {
		from, to := data[y*stride:], img.Pix[y*img.Stride:]
		for x := range w {
			var p uint32
			for i := range n {
				b := uint32(from[x*n+i])
				if f.bigEnd {
					p = p<<8 | b
				} else {
					p |= b << (8 * i)
				}
			}
			for i := range 3 {
				c := p & f.masks[i] >> shift[i]
				to[x*4+i] = byte(c * 255 / (1<<wide[i] - 1))
			}
			to[x*4+3] = 255
		}
	}
	return img, true
}

package atspi

import (
	"bytes"
	"context"
	"image"
	"slices"
	"time"

	"github.com/jezek/xgb/composite"
	"github.com/jezek/xgb/xproto"

	"ios-agent/internal/machine/pause"
	"ios-agent/internal/ui"
)

// covered reports whether other windows cover a part of a window's area. The server keeps no covered pixels: a picture would be black
// there.
func (d *display) covered(w xproto.Window, part ui.Rect) bool {
	top := w
	for range 32 { // nested windows: the frame of a window manager
		t, err := xproto.QueryTree(d.conn, top).Reply()
		if err != nil || t.Parent == 0 || t.Parent == d.root {
			break
		}
		top = t.Parent
	}
	tree, err := xproto.QueryTree(d.conn, d.root).Reply()
	if err != nil {
		return false
	}
	at := slices.Index(tree.Children, top)
	if at < 0 {
		return false
	}
	return slices.ContainsFunc(tree.Children[at+1:], func(o xproto.Window) bool { return d.shows(o, part) })
}

// shows reports whether a window paints over a part of the screen.
func (d *display) shows(w xproto.Window, part ui.Rect) bool {
	attributes, err := xproto.GetWindowAttributes(d.conn, w).Reply()
	if err != nil || attributes.MapState != xproto.MapStateViewable || attributes.Class != xproto.WindowClassInputOutput {
		return false
	}
	g, err := xproto.GetGeometry(d.conn, xproto.Drawable(w)).Reply()
	if err != nil {
		return false
	}
	rect := ui.Rect{X: float64(g.X), Y: float64(g.Y), W: float64(g.Width), H: float64(g.Height)}
	return !rect.Intersect(part).Empty()
}

// repaint is how long a program may take to paint a covered area, at least and at most.
const (
	leastRepaint = 150 * time.Millisecond
	mostRepaint  = 2 * time.Second
)

// uncovered takes the picture of a covered window: it makes the server store the window's pixels separately, and the program paints all
// of them. If the server cannot, it brings the window to the front.
func (d *display) uncovered(ctx context.Context, w xproto.Window, take func(xproto.Drawable) (*image.RGBA, error)) (*image.RGBA, error) {
	fresh := !d.apart[w]
	if err := d.keepApart(w); err != nil {
		if err := d.raise(ctx, w); err != nil {
			return nil, err
		}
		return d.painted(ctx, func() (*image.RGBA, error) { return take(xproto.Drawable(w)) })
	}
	one := func() (*image.RGBA, error) {
		pixmap, err := xproto.NewPixmapId(d.conn)
		if err != nil {
			return nil, err
		}
		if err := composite.NameWindowPixmapChecked(d.conn, w, pixmap).Check(); err != nil {
			return nil, err
		}
		defer xproto.FreePixmap(d.conn, pixmap)
		return take(xproto.Drawable(pixmap))
	}
	if !fresh {
		return one()
	}
	return d.painted(ctx, one)
}

// keepApart makes the server store a window's pixels separately as long as the connection lasts.
func (d *display) keepApart(w xproto.Window) error {
	if d.apart[w] {
		return nil
	}
	if err := composite.Init(d.conn); err != nil {
		return err
	}
	if _, err := composite.QueryVersion(d.conn, 0, 2).Reply(); err != nil { // it requires this request first
		return err
	}
	if err := composite.RedirectWindowChecked(d.conn, w, composite.RedirectAutomatic).Check(); err != nil {
		return err
	}
	if d.apart == nil {
		d.apart = map[xproto.Window]bool{}
	}
	d.apart[w] = true
	return nil
}

// painted takes pictures until two in a row are equal.
func (d *display) painted(ctx context.Context, take func() (*image.RGBA, error)) (*image.RGBA, error) {
	var last *image.RGBA
	for began := time.Now(); ; {
		now, err := take()
		if err != nil {
			return nil, err
		}
		spent := time.Since(began)
		if last != nil && spent >= leastRepaint && bytes.Equal(last.Pix, now.Pix) || spent >= mostRepaint {
			return now, nil
		}
		last = now
		if err := pause.For(ctx, leastRepaint/3); err != nil {
			return nil, err
		}
	}
}

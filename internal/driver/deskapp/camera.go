package deskapp

import (
	"bytes"
	"context"
	"image"
	"image/draw"
	"image/png"
	"math"

	"ios-agent/internal/desktop"
	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
)

var _ device.Camera = (*process)(nil)

// mostPixels bounds a picture of several distant windows.
const mostPixels = 64 << 20

// Screenshot is a picture of the windows in a look, each at its place, the topmost over the others. If the windows are too far apart, it
// shows only the topmost.
func (p *process) Screenshot(ctx context.Context) ([]byte, error) {
	seen, err := p.present(ctx, 0)
	if err != nil {
		return nil, err
	}
	made, err := p.picture(ctx, seen)
	if err != nil {
		return nil, fault.From(err).Within("the screenshot of " + p.name)
	}
	var out bytes.Buffer
	if err := png.Encode(&out, made); err != nil {
		return nil, fault.New(fault.ScreenshotFailed, "cannot take a screenshot of %s: %w", p.name, err)
	}
	return out.Bytes(), nil
}

func (p *process) picture(ctx context.Context, seen look) (image.Image, error) {
	app, view := inTurn{p}, seen.screen.Viewport()
	windows := shownWindows(seen.tree)
	top, at, err := app.Capture(ctx, "")
	if err != nil || len(windows) < 2 || at.Empty() {
		return top, err
	}
	scale := float64(top.Bounds().Dx()) / at.W
	w, h := math.Round(view.W*scale), math.Round(view.H*scale)
	if w*h > mostPixels {
		return top, nil
	}
	all := image.NewRGBA(image.Rect(0, 0, int(w), int(h)))
	for _, window := range windows {
		one, at, err := app.Capture(ctx, window.Key)
		if err != nil {
			return nil, err
		}
		place(all, one, ui.Rect{X: (at.X - view.X) * scale, Y: (at.Y - view.Y) * scale, W: at.W * scale, H: at.H * scale})
	}
	return all, nil
}

// shownWindows are the visible windows, back to front.
func shownWindows(t *desktop.Tree) (all []*desktop.Node) {
	for _, w := range t.Windows {
		if !w.Hidden && w.Bounds != nil && !w.Bounds.Empty() {
			all = append(all, w)
		}
	}
	return all
}

// place draws a picture into a frame of another one; it scales a picture of another scale point by point.
func place(on *image.RGBA, p image.Image, at ui.Rect) {
	to := image.Rect(int(math.Round(at.X)), int(math.Round(at.Y)), int(math.Round(at.X+at.W)), int(math.Round(at.Y+at.H)))
	from := p.Bounds()
	if from.Dx() == to.Dx() && from.Dy() == to.Dy() {
		draw.Draw(on, to, p, from.Min, draw.Src)
		return
	}
	for y := to.Min.Y; y < to.Max.Y; y++ {
		for x := to.Min.X; x < to.Max.X; x++ {
			on.Set(x, y, p.At(from.Min.X+(x-to.Min.X)*from.Dx()/to.Dx(), from.Min.Y+(y-to.Min.Y)*from.Dy()/to.Dy()))
		}
	}
}

package webdriver

import (
	"bytes"
	"context"
	"crypto/rand"
	"image"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"

	"ios-agent/internal/fault"
	"ios-agent/internal/machine/regularfile"
	"ios-agent/internal/ui"
)

// mostPicture is the maximum size of a picture in bytes.
const mostPicture = 64 << 20

// picture takes a picture of the screen. The operation gives the full size only in a file, so it uses a temporary one.
func (one *session) picture(ctx context.Context) ([]byte, error) {
	path := filepath.Join(one.folder.path, rand.Text()[:12]+".png")
	defer os.Remove(path)
	if err := one.on(ctx, "take_screenshot", map[string]any{"out": path}, nil); err != nil {
		return nil, err
	}
	raw, err := regularfile.Read(path, mostPicture)
	if err != nil {
		return nil, of(fault.New(fault.ScreenshotFailed, "cannot read the picture: %w", err))
	}
	return raw, nil
}

// crop cuts a frame, in points, out of a picture of a whole screen.
func crop(raw []byte, frame, window ui.Rect) ([]byte, error) {
	whole, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		return nil, fail(noCapture, "the picture is not a PNG: %v", err)
	}
	b := whole.Bounds()
	if window.W <= 0 || window.H <= 0 || (b.Dx() > b.Dy()) != (window.W > window.H) {
		return nil, fail(noCapture, "the picture's orientation differs from the screen's")
	}
	scale := float64(b.Dx()) / window.W
	at := func(v float64) int { return int(v*scale + 0.5) }
	part := image.Rect(at(frame.X-window.X), at(frame.Y-window.Y), at(frame.X-window.X+frame.W), at(frame.Y-window.Y+frame.H)).
		Add(b.Min).Intersect(b)
	if part.Empty() {
		return nil, fail(noCapture, "the element is not on the screen").hinted("scroll it into view first")
	}
	out := image.NewRGBA(image.Rect(0, 0, part.Dx(), part.Dy()))
	draw.Draw(out, out.Bounds(), whole, part.Min, draw.Src)
	var buf bytes.Buffer
	if err := png.Encode(&buf, out); err != nil {
		return nil, fail(noCapture, "cannot encode the picture: %v", err)
	}
	return buf.Bytes(), nil
}

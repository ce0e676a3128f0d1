package ops

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/ui"
	"ios-agent/internal/ui/picture"
)

func (s *Screen) screenshotOps() []op.Op {
	return []op.Op{op.New(op.Spec{
		Name: "take_screenshot", Groups: []string{"ui"}, Verb: "screenshot", Route: "POST /api/v1/ui/screenshot",
		Summary: "Take a picture of the screen and save it; a small copy comes with the answer",
		Hints:   op.ReadOnly, Default: true, Timeout: time.Minute,
		Examples: []string{"screenshot --out shop.png", "screenshot --annotate", "screenshot --format jpeg --max-edge 800 --max-bytes 100000"},
	}, s.screenshot)}
}

// pictureIn says what a picture should be.
type pictureIn struct {
	Format  string  `json:"format,omitempty" doc:"png or jpeg" enum:"png,jpeg" default:"png"`
	Scale   float64 `json:"scale,omitempty" doc:"both edges times this" min:"0.1" max:"1"`
	Quality int     `json:"quality,omitempty" doc:"of a jpeg" min:"1" max:"100" default:"85"`
	Edge    int     `json:"max_edge,omitempty" doc:"longest edge in pixels" min:"1" max:"10000"`
	Bytes   int     `json:"max_bytes,omitempty" doc:"shrink to so many bytes" min:"1000"`
}

func (p pictureIn) fit() picture.Fit {
	return picture.Fit{Format: p.Format, Scale: p.Scale, Quality: p.Quality, Edge: p.Edge, Bytes: p.Bytes}
}

// screenshotIn says where the picture goes.
type screenshotIn struct {
	Target
	Out      op.Path `json:"out,omitempty" doc:"the file, if not a new one"`
	Force    bool    `json:"force,omitempty" doc:"overwrite out" loses:"true"`
	Annotate bool    `json:"annotate,omitempty" doc:"draw refs around elements"`
	pictureIn
}

// screenshotOut is where the picture is; a small copy of it goes along for clients that show pictures.
type screenshotOut struct {
	Path   string `json:"path"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
	Bytes  int    `json:"size_bytes"`
	Format string `json:"format"`
	Black  bool   `json:"black,omitempty"` // nothing is on it, although it was taken twice

	copied picture.Picture
}

// Text says where it is.
func (o screenshotOut) Text() string {
	text := fmt.Sprintf("saved %s (%d×%d, %d KB)", o.Path, o.Width, o.Height, (o.Bytes+1023)/1024)
	if o.Black {
		text += "\nit is all black, also the second time: the display is off, or nothing is drawn on it"
	}
	return text
}

// Images is the copy.
func (o screenshotOut) Images() []op.Image {
	return []op.Image{{MIME: o.copied.MIME, Data: o.copied.Data}}
}

// forModels is how large a picture may be that goes to a model.
var forModels = picture.Fit{Edge: 1024}

func (s *Screen) screenshot(ctx context.Context, c *op.Call, in screenshotIn) (screenshotOut, error) {
	source, info, err := s.Photograph(ctx, c, in.Target)
	if err != nil {
		return screenshotOut{}, err
	}
	black := picture.Black(source)
	if in.Annotate {
		if source, err = s.Annotate(ctx, c, in.Target, source, true); err != nil {
			return screenshotOut{}, err
		}
	}
	made, err := picture.Make(source, in.fit())
	if err != nil {
		return screenshotOut{}, fault.New(fault.ScreenshotFailed, "the picture of %s: %w", info.Name, err)
	}
	path, err := s.Save(OutFile{string(in.Out), in.Force}, info, in.Format, made.Data)
	if err != nil {
		return screenshotOut{}, err
	}
	small := forModels
	small.Format = in.Format
	copied, err := picture.Make(source, small)
	if err != nil {
		return screenshotOut{}, fault.New(fault.ScreenshotFailed, "the picture of %s: %w", info.Name, err)
	}
	return screenshotOut{
		Path: path, Width: made.Width, Height: made.Height, Bytes: len(made.Data), Format: in.Format, Black: black, copied: copied,
	}, nil
}

// Photograph takes a picture without waiting for the device's lane: it disturbs nobody. simctl sometimes gives a black one: then it is
// taken once more.
func (s *Screen) Photograph(ctx context.Context, c *op.Call, t Target) (image.Image, device.Info, error) {
	h, _, err := s.device(ctx, c, t)
	if err != nil {
		return nil, device.Info{}, err
	}
	camera, err := device.As[device.Camera](h.Device)
	if err != nil {
		return nil, device.Info{}, err
	}
	source, err := photograph(ctx, camera, h.Info().Name)
	if err == nil && picture.Black(source) {
		source, err = photograph(ctx, camera, h.Info().Name)
	}
	return source, h.Info(), err
}

func photograph(ctx context.Context, camera device.Camera, name string) (image.Image, error) {
	raw, err := camera.Screenshot(ctx)
	if err != nil {
		return nil, err
	}
	source, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		return nil, fault.New(fault.ScreenshotFailed, "the picture of %s is not a PNG: %w", name, err)
	}
	return source, nil
}

// Save writes a picture to a path, or to a new file below the home.
func (s *Screen) Save(to OutFile, info device.Info, format string, data []byte) (string, error) {
	if to.Path == "" {
		dir := filepath.Join(s.home, "screenshots")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return "", fault.New(fault.PathError, "%w", err)
		}
		to.Path = filepath.Join(dir, fmt.Sprintf("%.8s-%s.%s", info.UDID, s.now().UTC().Format("20060102-150405.000"), format))
	}
	return to.Path, to.write(data)
}

// Annotate draws a box and a name around what one can act on. The names are refs, or types and labels.
func (s *Screen) Annotate(ctx context.Context, c *op.Call, t Target, source image.Image, refs bool) (image.Image, error) {
	var boxes []picture.Box
	err := s.Look(ctx, c, t, func(sc *ui.Screen, r *ui.Refs, udid string) error {
		scale := float64(source.Bounds().Dx()) / sc.Viewport().W
		for _, n := range sc.Actionable() {
			f := n.Seen()
			name := n.Type + ": " + ui.Inline(n.Name())
			if refs {
				name = r.Name(udid, sc, n)
			}
			boxes = append(boxes, picture.Box{X: f.X * scale, Y: f.Y * scale, W: f.W * scale, H: f.H * scale, Name: name})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return picture.Annotate(source, boxes)
}

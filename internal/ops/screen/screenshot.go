package screen

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"path/filepath"
	"strings"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/outfile"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/ui"
	"ios-agent/internal/ui/outline"
	"ios-agent/internal/ui/picture"
)

func (s *Screen) screenshotOps() []op.Op {
	return []op.Op{op.New(op.Spec{
		Name: "take_screenshot", Groups: []string{"ui"}, Verb: "screenshot", Route: "POST /api/v1/ui/screenshot",
		Summary: "Take a picture of the screen: a file, and a small copy here",
		Hints:   op.ReadOnly, Default: true, Timeout: time.Minute, Short: target.DesktopFlags("udid"),
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
	target.Target
	Out      op.Path      `json:"out,omitempty" doc:"the file, if not a new one" dash:"stdout"`
	Force    op.Overwrite `json:"force,omitempty" doc:"overwrite out"`
	Annotate bool         `json:"annotate,omitempty" doc:"draw refs on it"`
	pictureIn
}

// screenshotOut is where the picture is; a small copy of it goes along for clients that show pictures.
type screenshotOut struct {
	Path string `json:"path"`
	picture.Size
	Bytes  int          `json:"size_bytes"`
	Format string       `json:"format"`
	Black  bool         `json:"black,omitempty"` // nothing is on it, although it was taken twice
	Copy   picture.Size `json:"copy"`            // that of the answer

	copied picture.Picture
}

// Text says where it is, and what its pixels are.
func (o screenshotOut) Text() string {
	text := fmt.Sprintf("saved %s (%s, %d KB)", o.Path, o.Size.Text(), (o.Bytes+1023)/1024)
	if o.Black {
		text += "\nit is all black, also the second time: the display is off, or nothing is drawn on it"
	}
	return text
}

// Images is the copy.
func (o screenshotOut) Images() []op.Image {
	i := op.Image{MIME: o.copied.MIME, Data: o.copied.Data}
	if o.Copy.Width != o.Width {
		i.About = "copy in this answer: " + o.Copy.Text()
	}
	return []op.Image{i}
}

// forModels is how large a picture may be that goes to a model.
var forModels = picture.Fit{Edge: 1024}

// copied is the fit of the copy: never more than was asked for.
func (p pictureIn) copied() picture.Fit {
	f := p.fit()
	if f.Edge == 0 || f.Edge > forModels.Edge {
		f.Edge = forModels.Edge
	}
	return f
}

func (s *Screen) screenshot(ctx context.Context, c *op.Call, in screenshotIn) (screenshotOut, error) {
	source, info, err := s.Photograph(ctx, c, in.Target)
	if err != nil {
		return screenshotOut{}, err
	}
	file, small := in.fit(), in.copied()
	if in.Annotate {
		if file.Marks, err = s.Marks(ctx, c, in.Target, source, true); err != nil {
			return screenshotOut{}, err
		}
		small.Marks = file.Marks
	}
	scale := s.scaleOf(c, info, source)
	made, err := s.Make(source, info, file)
	if err != nil {
		return screenshotOut{}, err
	}
	copied, err := s.Make(source, info, small)
	if err != nil {
		return screenshotOut{}, err
	}
	path, err := s.Save(outfile.File{Path: string(in.Out), Force: bool(in.Force)}, info, in.Format, made.Data)
	if err != nil {
		return screenshotOut{}, err
	}
	return screenshotOut{
		Path: path, Size: picture.SizeOf(made, source, scale), Bytes: len(made.Data), Format: in.Format, Black: picture.Black(source),
		Copy: picture.SizeOf(copied, source, scale), copied: copied,
	}, nil
}

// Make makes a picture of a device's screen as large as it is wanted.
func (s *Screen) Make(source image.Image, info device.Info, f picture.Fit) (picture.Picture, error) {
	made, err := picture.Make(source, f)
	if err != nil {
		return picture.Picture{}, fault.New(fault.ScreenshotFailed, "the picture of %s: %w", info.Name, err)
	}
	return made, nil
}

// Photograph takes a picture without waiting for the device's lane: it disturbs nobody. simctl sometimes gives a black one: then it is
// taken once more.
func (s *Screen) Photograph(ctx context.Context, c *op.Call, t target.Target) (image.Image, device.Info, error) {
	h, _, err := s.d.Access.Device(ctx, c, t)
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
func (s *Screen) Save(to outfile.File, info device.Info, format string, data []byte) (string, error) {
	if to.Path == "" {
		dir := filepath.Join(s.d.Home, "screenshots")
		if err := outfile.Folder(dir); err != nil {
			return "", err
		}
		of := strings.ReplaceAll(info.UDID, ":", "-") // that of a process; some file systems take no colon
		to.Path = filepath.Join(dir, fmt.Sprintf("%.8s-%s.%s", of, s.d.Now().UTC().Format("20060102-150405.000"), format))
	}
	return to.Path, to.Write(data)
}

// Marks are a box and a name for each element that one can act on. The names are refs as in the outline, or types and labels.
func (s *Screen) Marks(ctx context.Context, c *op.Call, t target.Target, source image.Image, refs bool) (*picture.Marks, error) {
	marks := &picture.Marks{Above: !refs}
	err := s.Look(ctx, c, t, func(sc *ui.Screen, r *ui.Refs, udid string) error {
		if marks.Scale = picture.PixelsPerPoint(sc.Viewport(), source.Bounds()); marks.Scale == 0 {
			return turned(source.Bounds(), sc.Viewport())
		}
		if refs {
			outline.Of(sc, outline.Choice{}, udid, r) // what it shows gets the same refs here, whichever is asked for first
		}
		for _, m := range sc.Marked() {
			name := m.Node.Type + ": " + ui.Inline(m.Node.Name())
			if refs {
				name = r.Name(udid, sc, m.Node)
			}
			marks.Boxes = append(marks.Boxes, picture.Box{X: m.Frame.X, Y: m.Frame.Y, W: m.Frame.W, H: m.Frame.H, Name: name})
		}
		return nil
	})
	return marks, err
}

// turned is the refusal of a picture that does not show the screen the way it is held: which way round it lies, nobody knows.
func turned(size image.Rectangle, view ui.Rect) error {
	return fault.New(fault.ScreenshotFailed, "a picture of %d×%d pixels does not show a screen of %g×%g points upright: where its elements "+
		"are on the picture is not known", size.Dx(), size.Dy(), view.W, view.H).
		WithHint("`ios-agent rotate portrait` and take it again, or take it without `--annotate`")
}

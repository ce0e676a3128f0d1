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
	"ios-agent/internal/hint"
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
		Summary: "Take a picture of the screen: a file and a small copy",
		Hints:   op.ReadOnly, Default: true, Timeout: time.Minute, Short: target.DesktopFlags("udid"),
		Examples: []string{"screenshot --out shop.png", "screenshot --annotate", "screenshot --format jpeg --max-edge 800 --max-bytes 100000"},
	}, s.screenshot)}
}

// pictureIn has the format and the size of a picture.
type pictureIn struct {
	Format  string  `json:"format,omitempty" doc:"png or jpeg" enum:"png,jpeg" default:"png"`
	Scale   float64 `json:"scale,omitempty" doc:"factor for both edges" min:"0.1" max:"1"`
	Quality int     `json:"quality,omitempty" doc:"JPEG quality" min:"1" max:"100" default:"85"`
	Edge    int     `json:"max_edge,omitempty" doc:"longest edge in pixels" min:"1" max:"10000"`
	Bytes   int     `json:"max_bytes,omitempty" doc:"maximum size in bytes" min:"1000"`
}

func (p pictureIn) fit() picture.Fit {
	return picture.Fit{Format: p.Format, Scale: p.Scale, Quality: p.Quality, Edge: p.Edge, Bytes: p.Bytes}
}

// screenshotIn has the options of a screenshot.
type screenshotIn struct {
	target.Target
	Out      op.Path      `json:"out,omitempty" doc:"file; default: a new one" dash:"stdout"`
	Force    op.Overwrite `json:"force,omitempty" doc:"overwrite out"`
	Annotate bool         `json:"annotate,omitempty" doc:"draw refs on it"`
	pictureIn
}

// screenshotOut is the picture's file, with a small copy for clients that show pictures.
type screenshotOut struct {
	Path string `json:"path"`
	picture.Size
	Bytes  int          `json:"size_bytes"`
	Format string       `json:"format"`
	Black  bool         `json:"black,omitempty"` // the picture is all black, at the second attempt too
	Copy   picture.Size `json:"copy"`            // size of the copy in the answer

	copied picture.Picture
}

// Text is the path and the size.
func (o screenshotOut) Text() string {
	text := fmt.Sprintf("saved %s (%s, %d KB)", o.Path, o.Size.Text(), (o.Bytes+1023)/1024)
	if o.Black {
		text += "\nthe picture is all black, at the second attempt too: the display may be off"
	}
	return text
}

// Images is the copy for the answer.
func (o screenshotOut) Images() []op.Image {
	i := op.Image{MIME: o.copied.MIME, Data: o.copied.Data}
	if o.Copy.Width != o.Width {
		i.About = "copy in this answer: " + o.Copy.Text()
	}
	return []op.Image{i}
}

// forModels is the maximum size of a picture for a model.
var forModels = picture.Fit{Edge: 1024}

// copied is the fit of the copy, which is never larger than the file.
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

// Make makes a picture of a device's screen in the requested size.
func (s *Screen) Make(source image.Image, info device.Info, f picture.Fit) (picture.Picture, error) {
	made, err := picture.Make(source, f)
	if err != nil {
		return picture.Picture{}, fault.New(fault.ScreenshotFailed, "cannot make the picture of %s: %w", info.Name, err)
	}
	return made, nil
}

// Photograph takes a picture without waiting for the device's lane, since that disturbs no other call. simctl sometimes gives a black
// picture; then Photograph tries once more.
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

// Save writes a picture to a path, or to a new file in the home.
func (s *Screen) Save(to outfile.File, info device.Info, format string, data []byte) (string, error) {
	if to.Path == "" {
		dir := filepath.Join(s.d.Home, "screenshots")
		if err := outfile.Folder(dir); err != nil {
			return "", err
		}
		of := strings.ReplaceAll(info.UDID, ":", "-") // the udid of a process has colons, which some file systems refuse
		to.Path = filepath.Join(dir, fmt.Sprintf("%.8s-%s.%s", of, s.d.Now().UTC().Format("20060102-150405.000"), format))
	}
	return to.Path, to.Write(data)
}

// Marks makes a box and a name for each element that accepts actions. The names are the refs of the outline, or types and labels.
func (s *Screen) Marks(ctx context.Context, c *op.Call, t target.Target, source image.Image, refs bool) (*picture.Marks, error) {
	marks := &picture.Marks{Above: !refs}
	err := s.Look(ctx, c, t, func(sc *ui.Screen, r *ui.Refs, udid string) error {
		if marks.Scale = picture.PixelsPerPoint(sc.Viewport(), source.Bounds()); marks.Scale == 0 {
			return turned(source.Bounds(), sc.Viewport())
		}
		if refs {
			outline.Of(sc, outline.Choice{}, udid, r) // gives the elements the same refs as in a snapshot, in either order of calls
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

// turned refuses a picture whose orientation differs from the screen's: the places of elements on it are unknown.
func turned(size image.Rectangle, view ui.Rect) error {
	return fault.New(fault.ScreenshotFailed, "cannot annotate: the picture of %d×%d pixels has another orientation than "+
		"the screen of %g×%g points", size.Dx(), size.Dy(), view.W, view.H).
		WithHint("turn the device upright, then take it again: %s; or take it without %s", hint.Do("rotate", "orientation", "portrait"),
			hint.Field("annotate"))
}

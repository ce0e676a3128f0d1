package quern

import (
	"context"
	"fmt"
	"image"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/ui/picture"
)

// pictureIn is quern's input: the default is half the size.
type pictureIn struct {
	UDID    string  `json:"udid,omitempty" doc:"the device; else the current one"`
	Format  string  `json:"format,omitempty" doc:"png or jpeg" enum:"png,jpeg" default:"png"`
	Scale   float64 `json:"scale,omitempty" doc:"factor of both edges" min:"0.1" max:"1" default:"0.5"`
	Quality int     `json:"quality,omitempty" doc:"JPEG quality" min:"1" max:"100" default:"85"`
}

// pictureOut is a screenshot.
type pictureOut struct {
	Width  int    `json:"width"`
	Height int    `json:"height"`
	Format string `json:"format"`

	made picture.Picture
}

// Text is the format and the size.
func (o pictureOut) Text() string { return fmt.Sprintf("%s, %d×%d", o.Format, o.Width, o.Height) }

// Images is the screenshot.
func (o pictureOut) Images() []op.Image { return []op.Image{{MIME: o.made.MIME, Data: o.made.Data}} }

func (v views) screenshot(ctx context.Context, c *op.Call, in pictureIn) (pictureOut, error) {
	source, info, err := v.core.Screen.Photograph(ctx, c, target.Target{UDID: in.UDID})
	if err != nil {
		return pictureOut{}, err
	}
	return pictureOf(info, source, picture.Fit{Format: in.Format, Scale: in.Scale, Quality: in.Quality})
}

func pictureOf(info device.Info, source image.Image, fit picture.Fit) (pictureOut, error) {
	made, err := picture.Make(source, fit)
	if err != nil {
		return pictureOut{}, fault.New(fault.ScreenshotFailed, "the picture of %s: %w", info.Name, err)
	}
	return pictureOut{Width: made.Width, Height: made.Height, Format: fit.Format, made: made}, nil
}

// annotated is quern's, with types and labels. quern had PNG alone; format is taken as in take_screenshot.
func (v views) annotated(ctx context.Context, c *op.Call, in pictureIn) (pictureOut, error) {
	source, info, err := v.core.Screen.Photograph(ctx, c, target.Target{UDID: in.UDID})
	if err != nil {
		return pictureOut{}, err
	}
	marks, err := v.core.Screen.Marks(ctx, c, target.Target{UDID: in.UDID}, source, false)
	if err != nil {
		return pictureOut{}, err
	}
	return pictureOf(info, source, picture.Fit{Format: in.Format, Scale: in.Scale, Quality: in.Quality, Marks: marks})
}

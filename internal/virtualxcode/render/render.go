// Package render draws the screen of a virtual device, close enough that a person recognises an iPhone. Image and PNG draw a scene: the
// element tree at the frames of its elements, and the system's overlay. The same scene always gives the same picture. The package must
// not know apps and must not compute layouts.
package render

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"slices"
	"time"

	"ios-agent/internal/virtualxcode/world"
)

// PNG draws a scene at the device's full resolution.
func PNG(s world.Scene) ([]byte, error) {
	picture, err := Image(s)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := encoder.Encode(&out, picture); err != nil {
		return nil, fmt.Errorf("encode the screen of %s: %w", s.Device.Name, err)
	}
	return out.Bytes(), nil
}

// Image draws a scene without encoding it.
func Image(s world.Scene) (*image.RGBA, error) {
	screen := s.Device.Screen
	c, err := newCanvas(screen)
	if err != nil {
		return nil, err
	}
	c.dark = s.Dark
	p := painter{canvas: c, screen: screen, time: s.Time}
	p.rect(screen.Bounds(), black)
	switch {
	case s.Root != nil:
		p.element(s.Root)
		if s.System != nil {
			p.element(s.System)
		}
		p.chrome(s)
	case s.Device.State == world.Booting:
		p.bootBar()
	}
	return c.picture, nil
}

// painter draws elements.
type painter struct {
	*canvas
	screen world.Screen
	time   time.Time
}

// element draws e and then its children.
func (p painter) element(e *world.Element) {
	if draw := p.drawers()[e.Type]; draw != nil {
		draw(e)
	}
	if e.Clips() {
		p.canvas = p.within(e.Frame)
	}
	for _, c := range slices.Concat(e.Children, e.Look.Unseen) {
		p.element(c)
	}
}

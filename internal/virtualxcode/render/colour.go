package render

import (
	"image/color"
	"math"
)

// colour has red, green, blue and opacity, one byte each. It is a number so that it can be a constant.
type colour uint32

var _ color.Color = colour(0)

// System colours in light mode.
const (
	transparent colour = 0x00000000
	black       colour = 0x000000FF
	white       colour = 0xFFFFFFFF
	ink         colour = 0x000100FF // black, and white in dark mode
	faded       colour = 0x3C3C4396 // secondary text
	faint       colour = 0x3C3C434C // placeholders
	paper       colour = 0xF2F2F7FF
	card        colour = 0xFFFFFEFF // surfaces
	keyWhite    colour = 0xFEFFFFFF
	line        colour = 0x3C3C4346
	dimmed      colour = 0x00000066
	switchGreen colour = 0x34C759FF
	trackGrey   colour = 0x7878802A
	segmentGrey colour = 0x7676801F
	alertWhite  colour = 0xF7F7F8FF
	iconGrey    colour = 0x8E8E93FF
	blue        colour = 0x007AFFFF
	paleBlue    colour = 0x007AFF26
	red         colour = 0xFF3B30FF
	paleRed     colour = 0xFF3B301E
	green       colour = 0x248A3DFF
	off         colour = 0x78788028 // disabled controls
	boardGrey   colour = 0xD1D4DBFF
	keyGrey     colour = 0xABB1BCFF
	shadow      colour = 0x0000004C
	barGrey     colour = 0x3C3C3CFF
	land        colour = 0xE4EEDDFF // of a map
	water       colour = 0xA9D3F5FF
	dusk        colour = 0x26428AFF // the wallpaper's top
	dawn        colour = 0xC46E8EFF // and its bottom
)

func (c colour) channel(n int) uint8 { return uint8(c >> (24 - 8*n)) }

// RGBA implements color.Color.
func (c colour) RGBA() (r, g, b, a uint32) {
	return color.NRGBA{c.channel(0), c.channel(1), c.channel(2), c.channel(3)}.RGBA()
}

// withOpacity is c with another opacity.
func (c colour) withOpacity(a uint8) colour { return c&^0xFF | colour(a) }

// mix is a colour between a and b.
func mix(a, b colour, at float64) color.Color {
	between := func(n int) uint8 {
		x, y := float64(a.channel(n)), float64(b.channel(n))
		return uint8(math.Round(x + (y-x)*at))
	}
	return color.NRGBA{between(0), between(1), between(2), between(3)}
}

// night maps colours of light mode to dark mode. Other colours stay the same.
var night = map[colour]colour{
	ink: 0xFFFFFFFF, faded: 0xEBEBF599, faint: 0xEBEBF54C, paper: 0x000001FF, card: 0x1C1C1EFF, line: 0x54545899,
	blue: 0x0A84FFFF, paleBlue: 0x0A84FF40, red: 0xFF453AFF, paleRed: 0xFF453A33, green: 0x30D158FF,
	boardGrey: 0x2B2B2DFF, keyGrey: 0x46464AFF, keyWhite: 0x6B6B6EFF, alertWhite: 0x252527FF, segmentGrey: 0x7676803D,
	switchGreen: 0x30D158FF,
}

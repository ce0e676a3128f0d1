package world

import (
	"math"
	"strings"
)

// Sizes of texts, in points.
const (
	chipTextSize = 15.0
	tabTextSize  = 10.0
	messageSize  = 13.0
)

// textSize is the size of a text of a style, in points.
func textSize(style string) float64 {
	if size, ok := textSizes[style]; ok {
		return size
	}
	return bodySize
}

var textSizes = map[string]float64{"headline": 28, "footnote": 13, "caption": 13, "error": 15, "success": 15}

func lineHeight(size float64) float64 { return math.Ceil(size * 1.25) }

// textWidth is the approximate width of a text. It need not match a font: frames only have to be plausible, equal on every machine, and
// wide enough for the renderer.
func textWidth(s string, size float64) float64 {
	var ems float64
	for _, r := range s {
		ems += runeWidth(r)
	}
	return pixel(ems * size)
}

func runeWidth(r rune) float64 {
	switch {
	case strings.ContainsRune(" .,:;'!|ijlI", r):
		return 0.32
	case strings.ContainsRune("mwMW@%", r):
		return 0.92
	case r >= 'A' && r <= 'Z':
		return 0.70
	}
	return 0.58
}

// pixel rounds up to thirds of a point, the smallest pixel of any screen.
func pixel(v float64) float64 { return math.Ceil(v*3) / 3 }

// Package hugetree tests drivers with screens of hundreds of thousands of elements, which a broken or hostile app may show. IsBounded
// checks that reading such a screen is limited; EndWithTheirCaller checks that it ends when its caller has left.
package hugetree

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"ios-agent/internal/device"
	"ios-agent/internal/ui"
	"ios-agent/internal/ui/outline"
)

// Sizes are how many elements the screens have.
var Sizes = []int{40_000, 300_000}

// JSON is a tree with a number of elements in the form of WebDriverAgent and idb: the home screen with buttons in a pile.
func JSON(elements int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"type":"Application","label":" ","frame":{"x":0,"y":0,"width":400,"height":800},"children":[`)
	b.WriteString(strings.TrimSuffix(strings.Repeat(button+",", elements-1), ","))
	b.WriteString(`]}`)
	return b.Bytes()
}

const button = `{"type":"Button","label":"b","frame":{"x":8,"y":8,"width":40,"height":40},"children":[]}`

// IsBounded looks at screens of all sizes. show makes the device show a number of elements. A look must be answered, keep the limit,
// report the number of elements left out, and do work in proportion to the tree, measured in allocations.
func IsBounded(t *testing.T, eyes device.Eyes, show func(elements int)) {
	t.Helper()
	var each []float64
	for _, size := range Sizes {
		show(size)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		screen, err := eyes.Observe(t.Context(), device.Wait{})
		runtime.ReadMemStats(&after)
		if err != nil {
			t.Fatalf("a look at %d elements: %v", size, err)
		}
		each = append(each, float64(after.Mallocs-before.Mallocs)/float64(size))
		keeps(t, screen, size)
	}
	if first, last := each[0], each[len(each)-1]; last > 1.5*first {
		t.Errorf("got %.1f allocations an element of %d and %.1f of %d, want no more of more", first, Sizes[0], last, Sizes[len(Sizes)-1])
	}
}

func keeps(t *testing.T, screen *ui.Screen, size int) {
	t.Helper()
	if kept := len(screen.Nodes()); kept != device.MostNodes || screen.Truncated != size-device.MostNodes {
		t.Errorf("of %d elements got %d and %d left out, want %d and %d", size, kept, screen.Truncated, device.MostNodes, size-device.MostNodes)
	}
	said := fmt.Sprintf("truncated:%d", size-device.MostNodes)
	if text := outline.Of(screen, outline.Choice{Budget: 200}, "", &ui.Refs{}); !strings.Contains(text, said) {
		t.Errorf("got an outline of %d elements that does not say %q:\n%.300s", size, said, text)
	}
}

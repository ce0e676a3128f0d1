package house_test

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"ios-agent/internal/daemon/product"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/ui"
	"ios-agent/test/drivertest"
	"ios-agent/test/house"
)

// shot is the answer of a screenshot.
type shot struct {
	Path          string
	Width, Height int
	Scale         float64
	Points        string
	Copy          struct {
		Width, Height int
		Scale         float64
	}
}

func photograph(t *testing.T, h *house.House, input map[string]any) (shot, image.Image, op.Envelope) {
	t.Helper()
	e := h.Must("a", "take_screenshot", input)
	taken := house.Result[shot](h, e)
	file, err := os.Open(taken.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	picture, err := png.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	return taken, picture, e
}

// boxed reports whether a frame is drawn around an element: its upper edge is red.
func boxed(p image.Image, e ui.Element, scale float64) bool {
	red, y := 0, int(math.Round(e.Frame.Y*scale))
	from, to := int(e.Frame.X*scale)+1, int((e.Frame.X+e.Frame.W)*scale)-1
	for x := from; x < to; x++ {
		if p.At(x, y) == color.Color(color.RGBA{0xd0, 0x1c, 0x1c, 0xff}) {
			red++
		}
	}
	return red > (to-from)*9/10
}

// TestAnnotationSkipsElementsUnderSheet: what a sheet covers has no box, in either orientation, and what stands on it has one.
func TestAnnotationSkipsElementsUnderSheet(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	h.Boot("a", drivertest.Conformance)
	h.Must("a", "tap_element", map[string]string{"label": "Navigation"})
	h.Must("a", "tap_element", map[string]string{"label": "Show Sheet"})
	for _, way := range []string{"portrait", "landscape-left"} {
		h.Must("a", "rotate", map[string]string{"orientation": way})
		screen := house.Result[ui.Snapshot](h, h.Must("a", "snapshot", nil))
		taken, picture, _ := photograph(t, h, map[string]any{"annotate": true})
		on := map[string]bool{}
		for _, e := range screen.Elements {
			if e.Type == "XCUIElementTypeButton" && e.Frame.W > 0 && boxed(picture, e, taken.Scale) {
				on[e.Label] = true
			}
		}
		if len(on) != 1 || !on["Dismiss"] {
			t.Errorf("%s: boxes around %v", way, on)
		}
	}
}

// TestPicturesSayTheirScale: of the file and of the copy in the answer, which is never larger than was asked for.
func TestPicturesSayTheirScale(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	h.Boot("a", drivertest.Conformance) // nothing was looked at yet
	for _, c := range []struct {
		input         map[string]any
		width, height int
		points, copy  string
	}{
		{nil, 1179, 2556, "pixels / 3", "472×1024, points = pixels / 1.2019"},
		{map[string]any{"max_edge": 1000}, 461, 1000, "pixels / 1.1737", ""},
		{map[string]any{"max_edge": 700}, 323, 700, "pixels / 0.8216", ""},
		{map[string]any{"scale": 0.1}, 118, 256, "pixels / 0.3005", ""},
	} {
		taken, picture, e := photograph(t, h, c.input)
		if taken.Width != c.width || taken.Height != c.height || taken.Points != c.points || picture.Bounds().Dx() != c.width {
			t.Errorf("%v: %+v, a file of %v", c.input, taken, picture.Bounds())
		}
		if !strings.Contains(e.Stdout, fmt.Sprintf("%d×%d, points = %s", c.width, c.height, c.points)) {
			t.Errorf("%v: %s", c.input, e.Stdout)
		}
		if strings.Contains(e.Stdout, "copy") || !strings.Contains(e.Images[0].About, c.copy) { // a shell shows no copy
			t.Errorf("%v: %s; the picture: %s", c.input, e.Stdout, e.Images[0].About)
		}
		res, err := h.MCP("a", product.Serving{}).CallTool(t.Context(), &sdk.CallToolParams{Name: "take_screenshot", Arguments: c.input})
		if err != nil || !strings.Contains(res.Content[0].(*sdk.TextContent).Text, c.copy) {
			t.Errorf("%v over MCP: %+v %v", c.input, res, err)
		}
		shown, _, err := image.DecodeConfig(strings.NewReader(string(e.Images[0].Data)))
		if err != nil || shown.Width != taken.Copy.Width || shown.Width > taken.Width || shown.Height != taken.Copy.Height {
			t.Errorf("%v: a copy of %d×%d, and the answer says %+v (%v)", c.input, shown.Width, shown.Height, taken.Copy, err)
		}
	}
	whole := house.Result[struct {
		Size shot `json:"screenshot_size"`
	}](h, h.Must("a", "snapshot", map[string]any{"screenshot": true}))
	if whole.Size.Width != 472 || whole.Size.Points != "pixels / 1.2019" {
		t.Errorf("in a snapshot: %+v", whole.Size)
	}
}

// TestScaleOfUnseenScreenFollowsDeviceFamily: before anything was looked at, the scale is that of the family.
func TestScaleOfUnseenScreenFollowsDeviceFamily(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	for name, want := range map[string]float64{"iPhone 16": 3, "iPad mini (A17 Pro)": 2} {
		if e := h.Call("a", "boot_device", map[string]string{"sim": name}); e.Error != nil {
			t.Errorf("%s: %s", name, e.Text())
			continue
		}
		if taken, _, _ := photograph(t, h, map[string]any{"sim": name}); taken.Scale != want {
			t.Errorf("%s: %+v", name, taken)
		}
	}
}

// TestTapByPixelsHitsShownElement: coordinates as they were read off a picture meet what it shows, however small it is and however the
// device is held; those of a picture that cannot be of this screen are refused.
func TestTapByPixelsHitsShownElement(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	h.Boot("a", drivertest.Conformance)
	for i, way := range []string{"portrait", "landscape-left"} {
		h.Must("a", "rotate", map[string]string{"orientation": way})
		button := find(t, h, "Tap Me")
		taken, _, _ := photograph(t, h, map[string]any{"max_edge": 700 - 300*i})
		x, y := (button.Frame.X+button.Frame.W/2)*taken.Scale, (button.Frame.Y+button.Frame.H/2)*taken.Scale
		at := map[string]any{"x": math.Round(x), "y": math.Round(y), "pixels": fmt.Sprintf("%dx%d", taken.Width, taken.Height)}
		if e := h.Must("a", "tap_element", at); !strings.Contains(e.Stdout, fmt.Sprintf("Tapped: %d", i+1)) {
			t.Errorf("%s, %v: %s", way, at, e.Stdout)
		}
		for size, code := range map[string]fault.Code{
			fmt.Sprintf("%dx%d", taken.Height, taken.Width): fault.InvalidInput, // of the screen as it is not held
			"400x400": fault.InvalidInput, "400": fault.InvalidInput, "0x0": fault.InvalidInput,
			fmt.Sprintf("%gx%d", x/2, taken.Height): fault.InvalidInput,
		} {
			at["pixels"] = size
			if e := h.Call("a", "tap_element", at); e.Error == nil || e.Error.Code != code || e.Error.Hint == "" {
				t.Errorf("%s, a picture of %s: %s", way, size, e.Text())
			}
		}
	}
	if e := h.Call("a", "tap_element", map[string]any{"label": "Tap Me", "pixels": "100x200"}); e.Error == nil {
		t.Errorf("pixels without x and y: %s", e.Text())
	}
}

func find(t *testing.T, h *house.House, label string) ui.Element {
	t.Helper()
	for _, e := range house.Result[ui.Snapshot](h, h.Must("a", "snapshot", nil)).Elements {
		if e.Label == label {
			return e
		}
	}
	t.Fatalf("there is no %q", label)
	return ui.Element{}
}

package render_test

import (
	"bytes"
	"flag"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"ios-agent/internal/virtualxcode/app"
	"ios-agent/internal/virtualxcode/apps"
	"ios-agent/internal/virtualxcode/render"
	"ios-agent/internal/virtualxcode/world"
)

var update = flag.Bool("update", false, "write the golden pictures anew")

// gallery shows every kind of element in every style.
const gallery = `start: all
state: {name: "", secret: "", count: 3, no: false}
screens:
  all:
    title: Gallery
    elements:
      - {text: Everything there is, style: headline}
      - {text: "A longer text that does not fit on one line of a screen this wide, so that it wraps."}
      - {field: Name, bind: name, id: name}
      - {secure: Password, bind: secret, id: secret}
      - row: [{text: Coffee}, {text: "€3.50", style: price}, {button: Add, label: Add Coffee}]
      - {button: Next, id: next, do: [{go: next}]}
      - {button: Never, enabled: {no: true}}
      - {button: Throw away, style: destructive}
      - {text: Something went wrong., style: error}
      - {text: Well done., style: success}
      - {text: Said in passing., style: footnote}
  next:
    title: Next
    elements: [{text: "{count} steps"}]
`

// visit makes a world with the gallery running and does things to it.
func visit(t testing.TB, do func(w *world.World, udid string)) world.Scene {
	t.Helper()
	b, err := app.Load("Gallery.app", []byte(`{CFBundleIdentifier = "com.example.gallery"; CFBundleName = Gallery;}`), []byte(gallery))
	if err != nil {
		t.Fatal(err)
	}
	clock := world.RequestClock(time.Date(2025, 6, 9, 9, 41, 0, 0, time.UTC))
	w, err := world.New(world.Options{Clock: clock, Preinstalled: []*app.Bundle{b}})
	if err != nil {
		t.Fatal(err)
	}
	udid := w.Devices()[0].UDID
	do(w, udid)
	s, err := w.Scene(t.Context(), udid)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func launch(t testing.TB, w *world.World, udid string) {
	t.Helper()
	check(t, w.Boot(t.Context(), udid))
	_, err := w.Launch(t.Context(), udid, "com.example.gallery", world.LaunchOptions{})
	check(t, err)
}

func tap(t testing.TB, w *world.World, udid, id string) {
	t.Helper()
	root, _, err := w.Snapshot(t.Context(), udid, "")
	check(t, err)
	for e := range root.All() {
		if id != "" && e.Identifier == id {
			check(t, w.Tap(t.Context(), udid, e.Frame.Centre()))
		}
	}
}

func scenes(t testing.TB) map[string]world.Scene {
	return map[string]world.Scene{
		"gallery": visit(t, func(w *world.World, udid string) { launch(t, w, udid) }),
		"typing": visit(t, func(w *world.World, udid string) {
			launch(t, w, udid)
			tap(t, w, udid, "name")
			check(t, w.TypeText(t.Context(), udid, "ada@example.com"))
			tap(t, w, udid, "secret")
			check(t, w.TypeText(t.Context(), udid, "secret"))
			check(t, w.Sleep(t.Context(), time.Second))
		}),
		"sliding": visit(t, func(w *world.World, udid string) {
			launch(t, w, udid)
			tap(t, w, udid, "next")
			check(t, w.Sleep(t.Context(), 125*time.Millisecond))
		}),
		"pushed": visit(t, func(w *world.World, udid string) {
			launch(t, w, udid)
			tap(t, w, udid, "next")
			check(t, w.Sleep(t.Context(), time.Second))
		}),
		"controls": tour(t, conformance, "", func(w *world.World, udid string) {
			tap(t, w, udid, "controls-tap-button")
			tap(t, w, udid, "controls-toggle-wifi")
		}),
		"gestures": tour(t, conformance, "Gestures", func(w *world.World, udid string) {
			check(t, w.Swipe(t.Context(), udid, world.Point{X: 200, Y: 380}, world.Point{X: 200, Y: 320}, time.Second))
			check(t, w.Swipe(t.Context(), udid, world.Point{X: 4, Y: 700}, world.Point{X: 4, Y: 650}, time.Second))
		}),
		"dynamic": tour(t, conformance, "Dynamic", func(w *world.World, udid string) { tap(t, w, udid, "dynamic-start-loading") }),
		"extras":  tour(t, conformance, "Navigation", func(w *world.World, udid string) { tap(t, w, udid, "nav-extras-button") }),
		"alert":   tour(t, conformance, "Navigation", func(w *world.World, udid string) { tap(t, w, udid, "nav-alert-button") }),
		"confirm": tour(t, conformance, "Navigation", func(w *world.World, udid string) { tap(t, w, udid, "nav-confirm-button") }),
		"sheet":   tour(t, conformance, "Navigation", func(w *world.World, udid string) { tap(t, w, udid, "nav-sheet-button") }),
		"notes": tour(t, conformance, "Text Input", func(w *world.World, udid string) {
			tap(t, w, udid, "text-notes-editor")
			check(t, w.TypeText(t.Context(), udid, "one\ntwo"))
		}),
		"permission": tour(t, conformance, "", func(w *world.World, udid string) {
			visitPage(t, w, udid, "nav-permissions-button", "permissions-location")
		}),
		"camera": dark(tour(t, conformance, "", func(w *world.World, udid string) {
			visitPage(t, w, udid, "nav-permissions-button", "permissions-camera")
		})),
		"calendar": tour(t, conformance, "", func(w *world.World, udid string) {
			visitPage(t, w, udid, "nav-permissions-button", "permissions-calendar")
		}),
		"network": tour(t, conformance, "", func(w *world.World, udid string) {
			visitPage(t, w, udid, "nav-network-button", "network-send")
		}),
		"moving": tour(t, conformance, "", func(w *world.World, udid string) { visitPage(t, w, udid, "nav-moving-button", "") }),
		"web":    tour(t, conformance, "", func(w *world.World, udid string) { visitPage(t, w, udid, "nav-web-button", "web-link") }),
		"numberpad": tour(t, conformance, "", func(w *world.World, udid string) {
			visitPage(t, w, udid, "nav-keyboards-button", "keyboard-decimal")
		}),
		"web-night": dark(tour(t, conformance, "", func(w *world.World, udid string) { visitPage(t, w, udid, "nav-web-button", "") })),
		"searching": tour(t, conformance, "", func(w *world.World, udid string) {
			visitPage(t, w, udid, "nav-keyboards-button", "keyboard-search")
		}),
		"privacy": tour(t, "com.apple.Preferences", "", func(w *world.World, udid string) {
			check(t, w.SetPrivacy(t.Context(), udid, conformance, world.Granted, "photos"))
			check(t, w.SetPrivacy(t.Context(), udid, "com.iosagent.shop", world.Denied, "photos"))
			check(t, w.Swipe(t.Context(), udid, world.Point{X: 4, Y: 800}, world.Point{X: 4, Y: 100}, 2*time.Second))
			visitPage(t, w, udid, "", "")
			visitPage(t, w, udid, "", "com.apple.settings.privacyAndSecurity")
			visitPage(t, w, udid, "", "privacy-photos")
		}),
		"landscape": tour(t, conformance, "", func(w *world.World, udid string) {
			check(t, w.Rotate(t.Context(), udid, world.LandscapeLeft))
		}),
		"landscape-typing": tour(t, "com.iosagent.shop", "", func(w *world.World, udid string) {
			check(t, w.Rotate(t.Context(), udid, world.LandscapeRight))
			tap(t, w, udid, "email-field")
			check(t, w.TypeText(t.Context(), udid, "ada"))
		}),
		"landscape-alert": tour(t, "com.iosagent.shop", "", func(w *world.World, udid string) {
			check(t, w.Rotate(t.Context(), udid, world.LandscapeLeft))
			check(t, w.Swipe(t.Context(), udid, world.Point{X: 400, Y: 300}, world.Point{X: 400, Y: 100}, time.Second))
			visitPage(t, w, udid, "", "")
			tap(t, w, udid, "forgot-button")
		}),
		"statusbar": tour(t, "com.apple.Preferences", "", func(w *world.World, udid string) {
			check(t, w.Configure(t.Context(), udid, func(s *world.Settings) error {
				s.StatusBar = map[string]string{"time": "12:34", "batteryLevel": "15", "cellularBars": "2", "wifiBars": "1"}
				s.Appearance = "dark"
				return nil
			}))
		}),
		"login": tour(t, "com.iosagent.shop", "", func(*world.World, string) {}),
		"ordering": tour(t, "com.iosagent.shop", "", func(w *world.World, udid string) {
			for _, id := range []string{"guest-button", "add-tea", "open-cart", "checkout"} {
				visitPage(t, w, udid, "", id)
			}
			visitPage(t, w, udid, "", "notify-me")
		}),
		"settings": tour(t, "com.apple.Preferences", "", func(*world.World, string) {}),
		"night": dark(tour(t, "com.apple.Preferences", "", func(w *world.World, udid string) {
			tap(t, w, udid, "com.apple.settings.wifi")
		})),
		"shop": tour(t, "com.iosagent.shop", "", func(w *world.World, udid string) {
			for _, field := range []string{"email-field", "password-field"} {
				tap(t, w, udid, field)
				check(t, w.TypeText(t.Context(), udid, "secret"))
			}
			check(t, w.TypeText(t.Context(), udid, "\n"))
			tap(t, w, udid, "login-button")
		}),
		"home": visit(t, func(w *world.World, udid string) { check(t, w.Boot(t.Context(), udid)) }),
	}
}

// visitPage goes to a page of Conformance, if one is named, and taps something there when all is at rest.
func visitPage(t testing.TB, w *world.World, udid, page, id string) {
	t.Helper()
	rest := func() { check(t, w.Sleep(t.Context(), time.Second)) }
	if page != "" {
		tapLabel(t, w, udid, "Navigation")
		rest()
		for range 4 {
			check(t, w.Swipe(t.Context(), udid, world.Point{X: 4, Y: 700}, world.Point{X: 4, Y: 500}, time.Second))
			rest()
		}
		tap(t, w, udid, page)
		rest()
	}
	tap(t, w, udid, id)
	rest()
}

func tapLabel(t testing.TB, w *world.World, udid, label string) {
	t.Helper()
	root, _, err := w.Snapshot(t.Context(), udid, "")
	check(t, err)
	for e := range root.All() {
		if e.Type == "Button" && e.Label == label {
			check(t, w.Tap(t.Context(), udid, e.Frame.Centre()))
		}
	}
}

// readApps reads the built-in apps once: nothing changes them.
var readApps = sync.OnceValues(apps.Builtin)

const conformance = "com.iosagent.conformance"

// tour launches a built-in app, goes to a tab of it, does things there and waits a second.
func tour(t testing.TB, bundle, tab string, do func(w *world.World, udid string)) world.Scene {
	t.Helper()
	bundles, err := readApps()
	check(t, err)
	w, err := world.New(world.Options{Clock: world.RequestClock(time.Date(2025, 6, 9, 9, 41, 0, 0, time.UTC)), Preinstalled: bundles})
	check(t, err)
	udid := w.Devices()[0].UDID
	check(t, w.Boot(t.Context(), udid))
	_, err = w.Launch(t.Context(), udid, bundle, world.LaunchOptions{})
	check(t, err)
	root, _, err := w.Snapshot(t.Context(), udid, "")
	check(t, err)
	for e := range root.All() {
		if e.Look.Style == "tab" && e.Label == tab {
			check(t, w.Tap(t.Context(), udid, e.Frame.Centre()))
		}
	}
	do(w, udid)
	check(t, w.Sleep(t.Context(), time.Second))
	s, err := w.Scene(t.Context(), udid)
	check(t, err)
	return s
}

func dark(s world.Scene) world.Scene {
	s.Dark = true
	return s
}

func TestPicturesMatchGoldenFiles(t *testing.T) {
	for name, scene := range scenes(t) {
		t.Run(name, func(t *testing.T) {
			scene.Device.Screen.Scale = 0.75 // enough to read, and quick under -race
			small, err := render.Image(scene)
			check(t, err)
			golden := filepath.Join("testdata", name+".png")
			if *update {
				writePNG(t, golden, small)
				return
			}
			if d := difference(t, readPNG(t, golden), small); d > 0.5 {
				t.Errorf("the picture differs by %.2f levels on average from %s: look at it, then run with -update", d, golden)
			}
		})
	}
}

func TestPNGHasTheDevicesSize(t *testing.T) {
	scene := visit(t, func(w *world.World, udid string) { launch(t, w, udid) })
	data, err := render.PNG(scene)
	check(t, err)
	config, err := png.DecodeConfig(bytes.NewReader(data))
	check(t, err)
	if config.Width != 1206 || config.Height != 2622 {
		t.Errorf("it is %d by %d", config.Width, config.Height)
	}
}

func TestSameSceneGivesSamePicture(t *testing.T) {
	scene := visit(t, func(w *world.World, udid string) { launch(t, w, udid) })
	scene.Device.Screen.Scale = 1
	once, err := render.PNG(scene)
	check(t, err)
	again, err := render.PNG(scene)
	check(t, err)
	if !bytes.Equal(once, again) {
		t.Error("the same scene gave two pictures")
	}
}

func TestShutDownDeviceIsBlack(t *testing.T) {
	picture, err := render.Image(visit(t, func(*world.World, string) {}))
	check(t, err)
	if !bytes.Equal(picture.Pix, bytes.Repeat([]byte{0, 0, 0, 255}, len(picture.Pix)/4)) {
		t.Error("something is to be seen")
	}
}

func TestScreenWithoutSizeIsRefused(t *testing.T) {
	if _, err := render.PNG(world.Scene{}); err == nil {
		t.Error("it was drawn")
	}
}

func BenchmarkPNG(b *testing.B) {
	scene := scenes(b)["typing"]
	for b.Loop() {
		if _, err := render.PNG(scene); err != nil {
			b.Fatal(err)
		}
	}
}

// difference is the average distance of the pixels' values. Machines round curves differently in the last bit.
func difference(t *testing.T, a image.Image, b *image.RGBA) float64 {
	t.Helper()
	if a.Bounds() != b.Bounds() {
		t.Fatalf("sizes are %v and %v", a.Bounds(), b.Bounds())
	}
	var sum, n float64
	for y := range b.Bounds().Dy() {
		for x := range b.Bounds().Dx() {
			c := color.RGBAModel.Convert(a.At(x, y)).(color.RGBA)
			d := b.RGBAAt(x, y)
			sum += away(c.R, d.R) + away(c.G, d.G) + away(c.B, d.B)
			n += 3
		}
	}
	return sum / n
}

func away(a, b uint8) float64 { return float64(max(a, b) - min(a, b)) }

func readPNG(t *testing.T, path string) image.Image {
	t.Helper()
	f, err := os.Open(path)
	check(t, err)
	defer f.Close()
	p, err := png.Decode(f)
	check(t, err)
	return p
}

func writePNG(t *testing.T, path string, p image.Image) {
	t.Helper()
	check(t, os.MkdirAll(filepath.Dir(path), 0o755))
	var b bytes.Buffer
	check(t, png.Encode(&b, p))
	check(t, os.WriteFile(path, b.Bytes(), 0o644))
}

package drivertest

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/wholefile"
	"ios-agent/internal/ui"
)

// parts is the contract, from what every driver needs to what few have.
func parts() []part {
	return slices.Concat(touchParts(), textParts(), gestureParts(), bodyParts(), appParts(), systemParts(), powerParts())
}

// touchParts look at the screen and touch it.
func touchParts() []part {
	return []part{
		needs("look", func(b *bench, _ device.Eyes) {
			b.start("Controls")
			s, n := b.find(ui.Query{Identifier: "controls-tap-button"})
			if s.App != b.on.App || n.Label != "Tap Me" || n.Type != "Button" || n.Frame.Empty() {
				b.t.Errorf("app %s, element %+v", s.App, n)
			}
		}),
		needs("tap", func(b *bench, _ device.Touch) {
			b.start("Controls")
			b.tap(ui.Query{Identifier: "controls-tap-button"})
			b.shows("Tapped: 1")
		}),
		needs("double tap", func(b *bench, d device.Touch) {
			b.start("Controls")
			b.must(d.DoubleTap(b.ctx, b.at("controls-tap-button")))
			b.shows("Tapped: 2")
		}),
		needs("long press", func(b *bench, d device.Touch) {
			b.start("Gestures")
			b.must(d.LongPress(b.ctx, b.at("gesture-longpress-target"), 1500*time.Millisecond))
			b.shows("Long")
		}),
		needs("swipe", func(b *bench, d device.Touch) {
			b.start("Gestures")
			_, list := b.find(ui.Query{Identifier: "scroll-list"})
			c := list.Seen().Centre()
			b.must(d.Swipe(b.ctx, ui.Point{X: c.X, Y: c.Y + 60}, ui.Point{X: c.X, Y: c.Y - 60}, 300*time.Millisecond))
			if first := b.look().Match(ui.Query{Identifier: "scroll-item-1"}); len(first) > 0 && first[0].Visible() {
				b.t.Error("the list did not move")
			}
		}),
	}
}

// textParts enter text and values.
func textParts() []part {
	return []part{
		needs("type", func(b *bench, d device.Keyboard) {
			b.start("Text Input")
			b.refuses(d.Type(b.ctx, "x"), fault.NoFocus)
			b.tap(ui.Query{Identifier: "text-username-field"})
			text := "héllo wörld"
			if err := d.Type(b.ctx, text); fault.Is(err, fault.Unsupported) { // it has the keys of one keyboard, and sends none of them
				text = "hello world"
				b.must(d.Type(b.ctx, text))
			} else {
				b.must(err)
			}
			b.shows("Username: " + text)
		}),
		needs("clear", func(b *bench, d device.Keyboard) {
			b.start("Text Input")
			b.tap(ui.Query{Identifier: "text-username-field"})
			b.must(d.Type(b.ctx, "gone"))
			b.must(d.Clear(b.ctx))
			_, n := b.find(ui.Query{Identifier: "text-username-field"})
			if n.Typed() != "" {
				b.t.Errorf("it holds %q", n.Typed())
			}
		}),
		needs("keys", func(b *bench, d device.Keyboard) {
			b.start("Text Input")
			b.tap(ui.Query{Identifier: "text-username-field"})
			b.must(d.Type(b.ctx, "abc"))
			b.must(d.Key(b.ctx, "delete", nil, 2))
			b.shows("Username: a")
			b.refuses(d.Key(b.ctx, "no-such-key", nil, 1), fault.InvalidInput)
		}),
		needs("set a value", func(b *bench, d device.Adjust) {
			b.start("Controls")
			b.must(d.SetValue(b.ctx, b.at("controls-slider-volume"), "0.2"))
			b.shows("Volume: 20")
		}),
	}
}

// gestureParts need two fingers or a long press, and answer alerts.
func gestureParts() []part {
	return []part{
		needs("drag", func(b *bench, d device.Dragging) {
			b.start("Navigation")
			b.tap(ui.Query{Identifier: "nav-moving-button"})
			b.must(d.Drag(b.ctx, device.Drag{From: b.at("drag-lemon"), To: b.at("drop-basket"), Press: time.Second, Hold: 200 * time.Millisecond}))
			b.shows("Dropped: 1")
		}),
		needs("pinch", func(b *bench, d device.Pinching) {
			b.start("Navigation")
			b.tap(ui.Query{Identifier: "nav-moving-button"})
			b.must(d.Pinch(b.ctx, b.at("gesture-pinch-area"), 2))
			b.shows("pinches: 1")
		}),
		needs("alerts", func(b *bench, d device.Alerts) {
			b.start("Navigation")
			if a, err := d.Alert(b.ctx, ""); a != nil || err != nil {
				b.t.Fatalf("an alert %+v, %v", a, err)
			}
			b.tap(ui.Query{Identifier: "nav-alert-button"})
			b.look()
			a, err := d.Alert(b.ctx, "accept")
			b.must(err)
			if a == nil || !slices.Contains(a.Buttons, "OK") || a.Source != Conformance {
				b.t.Errorf("the alert is %+v", a)
			}
			b.shows("Alert confirmed")
		}),
	}
}

// bodyParts turn the device, press its buttons, and take pictures of it.
func bodyParts() []part {
	return []part{
		needs("rotate", func(b *bench, d device.Rotation) {
			b.start("Controls")
			b.must(d.Rotate(b.ctx, "landscape-left"))
			if v := b.look().Viewport(); v.W <= v.H {
				b.t.Errorf("the screen is %g×%g", v.W, v.H)
			}
			b.must(d.Rotate(b.ctx, "portrait"))
		}),
		needs("home button", func(b *bench, d device.Buttons) {
			b.start("Controls")
			b.must(d.Press(b.ctx, "home", 0))
			if s := b.look(); s.App == Conformance && s.State == "running_foreground" {
				b.t.Error("the app is still in front")
			}
		}),
		needs("picture", func(b *bench, d device.Camera) {
			raw, err := d.Screenshot(b.ctx)
			b.must(err)
			if p, err := png.Decode(bytes.NewReader(raw)); err != nil || p.Bounds().Dx() < 100 {
				b.t.Errorf("no picture: %v", err)
			}
		}),
		needs("film", func(b *bench, d device.Film) {
			path := filepath.Join(b.t.TempDir(), "film.mp4")
			film, err := d.Record(b.ctx, path, "h264")
			b.must(err)
			b.must(film.Close())
			if i, err := os.Stat(path); err != nil || i.Size() == 0 {
				b.t.Errorf("no film: %v", err)
			}
		}),
	}
}

// systemParts are settings of the device and what reaches apps from outside.
func systemParts() []part {
	return []part{
		needs("links", func(b *bench, d device.Links) { b.must(d.OpenURL(b.ctx, "https://example.com")) }),
		needs("location", func(b *bench, d device.Place) {
			b.must(d.SetLocation(b.ctx, 52.52, 13.405))
			b.must(d.ClearLocation(b.ctx))
		}),
		needs("permissions", func(b *bench, d device.Permissions) {
			b.must(d.Permit(b.ctx, "grant", "photos", Conformance))
			b.must(d.Permit(b.ctx, "reset", "photos", Conformance))
		}),
		needs("certificates", func(b *bench, d device.Trust) {
			path := filepath.Join(b.t.TempDir(), "root.pem")
			b.must(wholefile.Write(path, rootCertificate(b.t)))
			b.must(d.TrustRoot(b.ctx, path))
			b.must(d.TrustRoot(b.ctx, path))
		}),
		needs("appearance", func(b *bench, d device.Looks) {
			b.must(d.SetLook(b.ctx, "appearance", "dark"))
			if now, err := d.Look(b.ctx, "appearance"); err != nil || now != "dark" {
				b.t.Errorf("it is %q, %v", now, err)
			}
			b.must(d.SetLook(b.ctx, "appearance", "light"))
			b.must(d.OverrideStatusBar(b.ctx, map[string]string{"time": "9:41"}))
			b.must(d.OverrideStatusBar(b.ctx, nil))
		}),
		needs("notifications", func(b *bench, d device.Mailbox) { b.must(d.Push(b.ctx, Conformance, []byte(`{"aps":{"alert":"Hi"}}`))) }),
		needs("pasteboard", func(b *bench, d device.Pasteboard) {
			b.must(d.Copy(b.ctx, "naïve\n\"text\""))
			if got, err := d.Paste(b.ctx); err != nil || got != "naïve\n\"text\"" {
				b.t.Errorf("%q, %v", got, err)
			}
		}),
		needs("prepare for text entry", func(b *bench, d device.Preparer) {
			prepared, err := d.Prepare(b.ctx)
			b.must(err)
			restored, err := d.Restore(b.ctx)
			b.must(err)
			again, err := d.Restore(b.ctx)
			b.must(err)
			if len(prepared) == 0 || len(restored) != len(prepared) || len(again) != 0 {
				b.t.Errorf("%d prepared, %d restored, %d restored again", len(prepared), len(restored), len(again))
			}
			for _, a := range append(prepared, restored...) {
				if a.Error != "" {
					b.t.Errorf("%+v", a)
				}
			}
		}),
	}
}

// powerParts end what runs on the device and come last.
func powerParts() []part {
	return []part{
		needs("power", func(b *bench, d device.Power) {
			b.must(d.Boot(b.ctx)) // again: a no-op
			b.must(d.Shutdown(b.ctx))
			b.must(d.Shutdown(b.ctx))
			b.isOff()
			b.must(d.Boot(b.ctx))
		}),
		needs("erase", func(b *bench, d device.Eraser) {
			b.must(d.Erase(b.ctx))
			if power, err := device.As[device.Power](b.d); err == nil {
				b.must(power.Boot(b.ctx))
			}
			b.start("Controls")
		}),
	}
}

package world

import (
	"math"
	"slices"
	"time"

	"ios-agent/internal/virtualxcode/app"
	"ios-agent/internal/virtualxcode/flaw"
)

// tap is a tap with its faults.
func (d *device) tap(f finger) {
	if d.flaws.Happens(flaw.NoOpTap) {
		return
	}
	if miss, yes := d.flaws(flaw.TapMisses); yes {
		f.from.X += float64(miss.Int("dx"))
		f.from.Y += float64(miss.Int("dy"))
		f.to = f.from
	}
	if d.onSwitch(f) && d.flaws.Happens(flaw.SwitchIgnoresTap) {
		return
	}
	p := d.process(d.Front)
	if p == nil || d.asks() {
		d.touch(f)
		return
	}
	d.tapIn(p, f)
}

// tapIn is a tap that reaches an app.
func (d *device) tapIn(p *process, f finger) {
	if d.flaws.Happens(flaw.AppCrashOnTap) {
		d.advance(f.now)
		stage{p, f.now}.Crash(app.Crash{Kind: app.FatalError}, "Unexpectedly found nil while unwrapping an Optional value")
		d.settle(p, f.now)
		return
	}
	if insert, yes := d.flaws(flaw.LateInsert); yes {
		p.Inserted += float64(insert.Int("points"))
		p.changed()
	}
	if slow, yes := d.flaws(flaw.AppSlow); yes {
		d.advance(f.now)
		d.rememberScreen(f.now)
		d.delay(f, f.now.Add(slow.Millis("ms")))
		return
	}
	if hang, yes := d.flaws(flaw.AppHang); yes && !p.busy.at(f.now) {
		d.advance(f.now)
		p.busy = busy{f.now, f.now.Add(hang.Seconds("seconds"))}
	}
	d.touch(f)
}

// onSwitch reports whether a point is on a switch.
func (d *device) onSwitch(f finger) bool {
	path := topmost(d.frontView(f.now).root, f.from)
	return slices.ContainsFunc(path, func(e *Element) bool { return e.Type == "Switch" })
}

// swipe is a swipe with its faults. A swipe that overshoots is faster, so its content glides farther.
func (d *device) swipe(f finger) {
	if d.flaws.Happens(flaw.NoOpSwipe) {
		return
	}
	if over, yes := d.flaws(flaw.ScrollOvershoots); yes {
		f.took = f.took * 100 / time.Duration(over.Int("percent"))
	}
	d.touch(f)
}

// banner is the banner that moved the content down.
func (b pages) banner(frame Rect) *Element {
	return &Element{Type: "StaticText", Identifier: "late-banner", Label: "New messages", Frame: frame, Look: Look{Size: bodySize}}
}

// slide begins a change of screens.
func (s stage) slide(l slide) slide {
	l.Since = s.now
	if s.flaws == nil {
		return l
	}
	if plateau, yes := s.flaws(flaw.AnimationPlateau); yes {
		l.Pause = plateau.Millis("ms")
	}
	return l
}

// progress is the progress of the change. With a pause it stops in the middle for that time.
func (l slide) progress(now time.Time) float64 {
	half := slideTime / 2
	if passed := now.Sub(l.Since); l.Pause > 0 && passed > half {
		now = now.Add(-min(passed-half, l.Pause))
	}
	return progress(l.Since, now, slideTime)
}

// restless is an indicator that moves along the lower edge of the screen and back. Within a second it is never at the same place twice.
func restless(now time.Time, s Screen) *Element {
	const size, period = 20.0, 4 * time.Second
	phase := float64(now.UnixNano()%int64(period)) / float64(period)
	return &Element{Type: "ActivityIndicator", Identifier: "endless-animation", Label: "In progress",
		Frame: Rect{X: pixel((s.Width - size) * math.Abs(1-2*phase)), Y: s.Height - s.Bottom - size, W: size, H: size}}
}

package world

import (
	"context"
	"path/filepath"
	"time"

	"howett.net/plist"

	"ios-agent/internal/machine/regularfile"
	"ios-agent/internal/virtualxcode/flaw"
)

// readable reports whether XCTest reads the tree of an app at once: the app is in front, or is SpringBoard, which always answers.
func (d *device) readable(bundle string) bool {
	return bundle == SpringBoard || d.appState(bundle) == RunningForeground
}

// reachBackground lets the time pass that XCTest waits for an app behind another.
func (w *World) reachBackground(ctx context.Context, udid, bundle string) error {
	w.mu.Lock()
	d, err := w.device(udid)
	wait := time.Duration(0)
	if err == nil && bundle != "" && d.process(bundle) != nil && !d.readable(bundle) {
		if slow, yes := d.flaws(flaw.BackgroundSnapshot); yes {
			wait = slow.Seconds("seconds")
		}
	}
	w.mu.Unlock()
	if wait == 0 {
		return nil // the look reports a missing device
	}
	return w.clock.Sleep(ctx, wait)
}

// tooDeep refuses a tree with more levels than one read allows.
func (d *device) tooDeep(o *Observation) error {
	hit, yes := d.flaws(flaw.SnapshotTooDeep)
	if !yes || o.Root.Levels() <= hit.Int("levels") {
		return nil
	}
	o.Levels = hit.Int("levels")
	return levelsLost()
}

// Levels is the number of levels of a tree; a single element has one.
func (e *Element) Levels() int {
	deepest := 0
	for _, c := range e.Children {
		deepest = max(deepest, c.Levels())
	}
	return deepest + 1
}

// keyboardDomain is the domain of the keyboard's preferences.
const keyboardDomain = "com.apple.keyboard.preferences"

// preference is a preference of the keyboard; set is false if it was never written.
func (d *device) preference(key string) (on, set bool) {
	data, err := regularfile.Read(filepath.Join(d.world.folder(d), "data/Library/Preferences", keyboardDomain+".plist"), maxDataFile)
	values := map[string]any{}
	if err == nil {
		_, err = plist.Unmarshal(data, &values)
	}
	on, set = values[key].(bool)
	return on, set && err == nil
}

// Preferences that keep the keyboard from changing text and from showing introductions.
const (
	smartQuotes = "SmartQuotesEnabled"
	smartDashes = "SmartDashesEnabled"
)

// introductions are the preferences that mark the keyboard's introductions as shown.
var introductions = []string{"DidShowContinuousPathIntroduction", "DidShowGestureKeyboardIntroduction",
	"KeyboardDidShowProductivityTutorial"}

// smart applies smart punctuation unless the preferences forbid it.
func (p *process) smart(keys []rune) []rune {
	if !p.flaws.Happens(flaw.SmartPunctuation) {
		return keys
	}
	quotes, quotesSet := p.on.preference(smartQuotes)
	dashes, dashesSet := p.on.preference(smartDashes)
	return flaw.Smart(keys, quotes || !quotesSet, dashes || !dashesSet)
}

// introduces reports whether an introduction covers the appearing keyboard.
func (p *process) introduces() bool {
	if !p.flaws.Happens(flaw.KeyboardIntroduction) {
		return false
	}
	for _, key := range introductions {
		if shown, _ := p.on.preference(key); !shown {
			return true
		}
	}
	return false
}

// introduction covers the keys until it is answered.
func (b keys) introduction() {
	board := b.board.Frame
	text := &Element{Type: "StaticText", Label: "Speed up your typing by sliding your finger across the letters to compose a word.",
		Frame: Rect{X: b.left + 20, Y: board.Y + 40, W: b.width - 40, H: 80}}
	b.board.Children = append(b.board.Children, text)
	b.add("Button", "", "Continue", Rect{X: b.left + 20, Y: board.Y + 180, W: b.width - 40, H: 50}, func(time.Time) {
		b.Keyboard.Introduces = false
	})
}

package axe

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"ios-agent/internal/virtualxcode/render"
	"ios-agent/internal/virtualxcode/world"
)

const errMissingUDID = refusal("Missing expected argument '--udid <udid>'\nHelp:  --udid <udid>  The UDID of the simulator.")

func (c call) udid() string { return c.args.options["--udid"] }

// number reads an option; one that is not there is the default.
func (c call) number(name string, otherwise float64) (float64, error) {
	text, given := c.args.options[name]
	if !given {
		return otherwise, nil
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, fmt.Errorf("the value '%s' is invalid for '%s'", text, name)
	}
	return n, nil
}

func (c call) point(x, y string) (p world.Point, err error) {
	if c.args.options[x] == "" || c.args.options[y] == "" {
		return p, fmt.Errorf("both %s and %s are needed", x, y)
	}
	if p.X, err = c.number(x, 0); err != nil {
		return p, err
	}
	p.Y, err = c.number(y, 0)
	return p, err
}

func tapElement(c call) error {
	at, err := c.target()
	if err != nil {
		return err
	}
	if err := c.world.Tap(c.ctx, c.udid(), at); err != nil {
		return err
	}
	fmt.Fprintf(c.stdout, "✓ Tap at (%v, %v) completed successfully\n", at.X, at.Y)
	return nil
}

// target is where a tap goes: coordinates, or the centre of the one element that matches.
func (c call) target() (world.Point, error) {
	id, label := c.args.options["--id"], c.args.options["--label"]
	if id == "" && label == "" {
		return c.point("-x", "-y")
	}
	root, err := c.look()
	if err != nil {
		return world.Point{}, err
	}
	var found []node
	for _, n := range flatten(root, 0) {
		if (id == "" || is(n.AXUniqueID, id)) && (label == "" || is(n.AXLabel, label)) {
			found = append(found, n)
		}
	}
	switch what := strings.TrimSpace(id + " " + label); len(found) {
	case 1:
		f := found[0].Frame
		return world.Rect{X: f.X, Y: f.Y, W: f.Width, H: f.Height}.Centre(), nil
	case 0:
		return world.Point{}, fmt.Errorf("no accessibility element matched '%s'", what)
	default:
		return world.Point{}, fmt.Errorf("multiple (%d) accessibility elements matched '%s'", len(found), what)
	}
}

func is(s *string, want string) bool { return s != nil && *s == want }

// touch presses where both down and up are asked for; a lone down or up has no effect a world without multi-touch
// could show.
func touch(c call) error {
	at, err := c.point("-x", "-y")
	if err != nil {
		return err
	}
	delay, err := c.number("--delay", 0)
	if err != nil {
		return err
	}
	if c.args.options["--down"] == "" || c.args.options["--up"] == "" {
		fmt.Fprintln(c.stdout, "✓ Touch event sent")
		return nil
	}
	if err := c.world.LongPress(c.ctx, c.udid(), at, seconds(delay)); err != nil {
		return err
	}
	fmt.Fprintf(c.stdout, "✓ Touch at (%v, %v) completed successfully\n", at.X, at.Y)
	return nil
}

func seconds(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }

func swipe(c call) error {
	from, err := c.point("--start-x", "--start-y")
	if err != nil {
		return err
	}
	to, err := c.point("--end-x", "--end-y")
	if err != nil {
		return err
	}
	took, err := c.number("--duration", 1)
	if err != nil {
		return err
	}
	if err := c.world.Swipe(c.ctx, c.udid(), from, to, seconds(took)); err != nil {
		return err
	}
	fmt.Fprintln(c.stdout, "✓ Swipe gesture completed successfully")
	return nil
}

// presets are the gestures by name, as shares of the screen: from x, y to x, y.
var presets = map[string][4]float64{
	"scroll-up": {.5, .25, .5, .75}, "scroll-down": {.5, .75, .5, .25}, "scroll-left": {.25, .5, .75, .5}, "scroll-right": {.75, .5, .25, .5},
	"swipe-from-left-edge": {0, .5, 1, .5}, "swipe-from-right-edge": {1, .5, 0, .5}, "swipe-from-top-edge": {.5, 0, .5, 1}, "swipe-from-bottom-edge": {.5, 1, .5, 0},
}

func gesture(c call) error {
	preset, known := presets[strings.Join(c.args.words, " ")]
	if !known {
		return fmt.Errorf("the value '%s' is invalid for '<preset>'", strings.Join(c.args.words, " "))
	}
	d, err := c.world.Find(c.udid())
	if err != nil {
		return err
	}
	w, h := d.Screen.Width, d.Screen.Height
	from, to := world.Point{X: preset[0] * w, Y: preset[1] * h}, world.Point{X: preset[2] * w, Y: preset[3] * h}
	if err := c.world.Swipe(c.ctx, c.udid(), from, to, time.Second/2); err != nil {
		return err
	}
	fmt.Fprintln(c.stdout, "✓ Gesture completed successfully")
	return nil
}

func typeText(c call) error {
	if err := c.world.TypeText(c.ctx, c.udid(), strings.Join(c.args.words, " ")); err != nil && !errors.Is(err, world.ErrNoFocus) {
		return err // keys pressed with nothing focused go nowhere, and nobody tells
	}
	fmt.Fprintln(c.stdout, "✓ Text typed successfully")
	return nil
}

// keyText is what a HID key code types: letters from 4, digits from 30, return, delete, space.
func keyText(code int) (string, bool) {
	switch {
	case code >= 4 && code <= 29:
		return string(rune('a' + code - 4)), true
	case code >= 30 && code <= 39:
		return string("1234567890"[code-30]), true
	}
	named, ok := map[int]string{40: "\n", 42: "\b", 44: " "}[code]
	return named, ok
}

func pressKey(c call) error { return c.press(c.args.words) }

func pressKeys(c call) error { return c.press(strings.Split(c.args.options["--keycodes"], ",")) }

func (c call) press(codes []string) error {
	for _, word := range codes {
		code, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil || code < 0 || code > 255 {
			return fmt.Errorf("the value '%s' is invalid for '<keycode>'", word)
		}
		if text, types := keyText(code); types {
			if err := c.world.TypeText(c.ctx, c.udid(), text); err != nil && !errors.Is(err, world.ErrNoFocus) {
				return err
			}
		}
	}
	fmt.Fprintln(c.stdout, "✓ Key press completed successfully")
	return nil
}

func screenshot(c call) error {
	scene, err := c.world.Scene(c.ctx, c.udid())
	if err != nil {
		return err
	}
	png, err := render.PNG(scene)
	if err != nil {
		return err
	}
	path := c.args.options["--output"]
	if path == "" {
		path = "simulator-screenshot-" + c.udid() + ".png"
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(c.args.dir, path)
	}
	if err := os.WriteFile(path, png, 0o600); err != nil {
		return err
	}
	fmt.Fprintln(c.stdout, path)
	return nil
}

package axe

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ios-agent/internal/virtualxcode/render"
	"ios-agent/internal/virtualxcode/swiftargs"
	"ios-agent/internal/virtualxcode/world"
)

// The maximum durations of a touch and of a pause, in seconds.
const longest = 10

// point reads a pair of options.
func (c call) point(x, y string) (p world.Point, err error) {
	for _, name := range []string{x, y} {
		if !c.args.Has(name) {
			return p, swiftargs.Refuse("Missing expected argument '%s <%s>'", name, strings.TrimLeft(name, "-"))
		}
	}
	if p.X, err = c.number(x, 0); err != nil {
		return p, err
	}
	if p.Y, err = c.number(y, 0); err == nil && (p.X < 0 || p.Y < 0) {
		err = swiftargs.Refuse("Coordinates must be non-negative values.")
	}
	return p, err
}

// within runs do between the requested delays.
func (c call) within(ctx context.Context, do func(udid string) error) error {
	before, err := c.between("--pre-delay", 0, 0, longest, "Pre-delay must be between 0 and 10 seconds.")
	if err != nil {
		return err
	}
	after, err := c.between("--post-delay", 0, 0, longest, "Post-delay must be between 0 and 10 seconds.")
	if err != nil {
		return err
	}
	d, err := c.simulator()
	if err != nil {
		return err
	}
	return errors.Join(c.world.Sleep(ctx, seconds(before)), do(d.UDID), c.world.Sleep(ctx, seconds(after)))
}

// tap reads its target first. -x and -y override a selector.
func tap(ctx context.Context, c call) error {
	s, err := c.selector("--id", "--label", "--value")
	byPoint := c.args.Has("-x") || c.args.Has("-y")
	switch {
	case byPoint && !(c.args.Has("-x") && c.args.Has("-y")):
		return swiftargs.Refuse("Both -x and -y must be provided together.")
	case !byPoint && err != nil:
		return err
	case !byPoint && s.option == "":
		return swiftargs.Refuse("Either provide both -x/-y, or use --id/--label/--value to tap an element.")
	case c.args.Has("--tap-style") && !slices.Contains([]string{"automatic", "simulator", "physical"}, c.args.Value("--tap-style")):
		return swiftargs.Refuse("The value '%s' is invalid for '--tap-style <tap-style>'. Please provide one of 'automatic', "+
			"'simulator' or 'physical'.", c.args.Value("--tap-style"))
	}
	var at world.Point
	if byPoint {
		if at, err = c.point("-x", "-y"); err != nil {
			return err
		}
	}
	err = c.within(ctx, func(udid string) error {
		if !byPoint {
			n, err := c.resolve(ctx, s)
			var u unresolved
			if errors.As(err, &u) {
				fmt.Fprintf(c.Stderr, "Warning: %s No tap performed.\n", u.message)
			}
			if err != nil {
				return err
			}
			at = spot(n)
		}
		return c.world.Tap(ctx, udid, at)
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(c.Stdout, "✓ Tap at (%s, %s) completed successfully\n", double(at.X), double(at.Y))
	return nil
}

// double is a number as Swift prints a Double.
func double(n float64) string {
	text := fmt.Sprint(n)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text
}

// touch presses if both --down and --up are given. One of them alone has no effect: the world has no multi-touch.
func touch(ctx context.Context, c call) error {
	at, err := c.point("-x", "-y")
	if err != nil {
		return err
	}
	delay, err := c.number("--delay", 0.1)
	both := c.args.Has("--down") && c.args.Has("--up")
	switch {
	case err != nil:
		return err
	case !c.args.Has("--down") && !c.args.Has("--up"):
		return swiftargs.Refuse("At least one of --down or --up must be specified.")
	case delay < 0:
		return swiftargs.Refuse("Delay must be non-negative.")
	case delay > longest:
		return swiftargs.Refuse("Delay must not exceed 10 seconds.")
	case c.args.Has("--delay") && !both:
		return swiftargs.Refuse("Delay can only be used when both --down and --up are specified.")
	}
	return c.within(ctx, func(udid string) error {
		if !both {
			_, err := c.world.Foreground(udid)
			return err
		}
		return c.world.LongPress(ctx, udid, at, seconds(delay))
	})
}

func swipe(ctx context.Context, c call) error {
	from, err := c.point("--start-x", "--start-y")
	if err != nil {
		return err
	}
	to, err := c.point("--end-x", "--end-y")
	if err != nil {
		return err
	}
	took, err := c.between("--duration", 1, 0, longest, "Duration must be between 0 and 10 seconds.")
	if err != nil {
		return err
	}
	return c.within(ctx, func(udid string) error { return c.world.Swipe(ctx, udid, from, to, seconds(took)) })
}

// Dimensions of the presets, in points. AXe does not ask the simulator for its screen size.
const (
	usualWidth, usualHeight = 390, 844
	presetReach             = 200 // length of a scroll, around the centre of the screen
	presetEdge              = 20  // distance of a swipe's ends from the edge of the screen
)

// preset is a gesture: its points on a screen of a given size, and its duration.
type preset struct {
	points func(w, h float64) (from, to world.Point)
	took   float64
}

// presets name a scroll by the finger's direction: scroll-up moves the content up.
var presets = map[string]preset{
	"scroll-up": scroll(0, -1), "scroll-down": scroll(0, 1), "scroll-left": scroll(-1, 0), "scroll-right": scroll(1, 0),
	"swipe-from-left-edge": {func(w, h float64) (from, to world.Point) {
		return world.Point{X: presetEdge, Y: h / 2}, world.Point{X: w - presetEdge, Y: h / 2}
	}, .3},
	"swipe-from-right-edge": {func(w, h float64) (from, to world.Point) {
		return world.Point{X: w - presetEdge, Y: h / 2}, world.Point{X: presetEdge, Y: h / 2}
	}, .3},
	"swipe-from-top-edge": {func(w, h float64) (from, to world.Point) {
		return world.Point{X: w / 2, Y: presetEdge}, world.Point{X: w / 2, Y: h - presetEdge}
	}, .3},
	"swipe-from-bottom-edge": {func(w, h float64) (from, to world.Point) {
		return world.Point{X: w / 2, Y: h - presetEdge}, world.Point{X: w / 2, Y: presetEdge}
	}, .3},
}

func scroll(x, y float64) preset {
	const half = presetReach / 2
	return preset{func(w, h float64) (from, to world.Point) {
		return world.Point{X: w/2 - x*half, Y: h/2 - y*half}, world.Point{X: w/2 + x*half, Y: h/2 + y*half}
	}, .5}
}

func gesture(ctx context.Context, c call) error {
	if len(c.args.Words) == 0 {
		return swiftargs.Refuse("Missing expected argument '<preset>'")
	}
	p, known := presets[c.args.Words[0]]
	if !known {
		return swiftargs.Refuse("The value '%s' is invalid for '<preset>'. Please provide one of %s.", c.args.Words[0], choices(presets))
	}
	took, err := c.between("--duration", p.took, 0, longest, "Duration must be between 0 and 10 seconds.")
	if err != nil {
		return err
	}
	w, err := c.number("--screen-width", usualWidth)
	if err != nil {
		return err
	}
	h, err := c.number("--screen-height", usualHeight)
	if err != nil {
		return err
	}
	from, to := p.points(w, h)
	return c.within(ctx, func(udid string) error { return c.world.Swipe(ctx, udid, from, to, seconds(took)) })
}

// choices are the keys of a table in the parser's words.
func choices[T any](table map[string]T) string {
	var names []string
	for name := range table {
		names = append(names, "'"+name+"'")
	}
	slices.Sort(names)
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

func screenshot(ctx context.Context, c call) error {
	d, err := c.simulator()
	if err != nil {
		return err
	}
	scene, err := c.world.Scene(ctx, d.UDID)
	if err != nil {
		return err
	}
	png, err := render.PNG(scene)
	if err != nil {
		return err
	}
	name := "simulator-screenshot-" + d.UDID + ".png"
	path := c.Path(c.args.Value("--output"))
	if info, err := os.Stat(path); err == nil && info.IsDir() { // without --output the file goes to the caller's folder
		path = filepath.Join(path, name)
	}
	if err := os.WriteFile(path, png, 0o600); err != nil {
		return err
	}
	fmt.Fprintln(c.Stdout, path)
	return nil
}

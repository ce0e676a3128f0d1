package idb

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"ios-agent/internal/virtualxcode/applejson"
	"ios-agent/internal/virtualxcode/axtree"
	"ios-agent/internal/virtualxcode/hid"
	"ios-agent/internal/virtualxcode/tool"
	"ios-agent/internal/virtualxcode/world"
)

// nested reports whether elements include their children.
func (c call) nested() bool { return c.args.has("--nested") || c.args.value("--format") == "nested" }

// describeAll prints every element: one after the other, or below the application.
func describeAll(ctx context.Context, c call) error {
	screen, err := axtree.Look(ctx, c.world, c.device.UDID)
	if err != nil {
		return err
	}
	shown := axtree.Form{}.All(screen.Flat())
	if c.nested() {
		shown = axtree.Form{Children: true}.All([]axtree.Node{screen.Root()})
	}
	return c.print(shown)
}

// describePoint prints the innermost element at a point. Only this command sees into a tab bar.
func describePoint(ctx context.Context, c call) error {
	screen, err := axtree.Look(ctx, c.world, c.device.UDID)
	if err != nil {
		return err
	}
	at := c.point("x", "y")
	hit, found := screen.At(at)
	if !found {
		return tool.Refuse("No translation object returned for simulator. This means you have likely specified a point onscreen that is " +
			"invalid or invisible due to a fullscreen dialog")
	}
	return c.print(axtree.Form{Children: c.nested()}.Of(hit))
}

func (c call) print(v any) error {
	_, err := fmt.Fprintln(c.Stdout, applejson.Style{}.Line(v))
	return err
}

func (c call) point(x, y string) world.Point {
	return world.Point{X: float64(c.args.whole(x)), Y: float64(c.args.whole(y))}
}

func seconds(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }

// longPress is the shortest time of a touch that is longer than a tap.
const longPress = 0.5

func tap(ctx context.Context, c call) error {
	at := c.point("x", "y")
	if held := c.args.float("--duration", 0); held >= longPress {
		return c.world.LongPress(ctx, c.device.UDID, at, seconds(held))
	}
	return c.world.Tap(ctx, c.device.UDID, at)
}

func swipe(ctx context.Context, c call) error {
	return c.world.Swipe(ctx, c.device.UDID, c.point("x_start", "y_start"), c.point("x_end", "y_end"),
		seconds(c.args.float("--duration", 0.5)))
}

func text(ctx context.Context, c call) error {
	typed := c.args.words["text"]
	for _, r := range typed {
		if !hid.Types(r) {
			return tool.Refuse("No keycode found for %c", r)
		}
	}
	return c.keyboard().Type(ctx, typed)
}

func key(ctx context.Context, c call) error {
	if err := c.keyboard().Press(ctx, c.args.whole("key")); err != nil {
		return err
	}
	return c.world.Sleep(ctx, seconds(c.args.float("--duration", 0)))
}

func keySequence(ctx context.Context, c call) error {
	for _, word := range c.args.rest {
		code, err := strconv.Atoi(word)
		if err != nil {
			return err
		}
		if err := c.keyboard().Press(ctx, code); err != nil {
			return err
		}
	}
	return nil
}

// buttons are the hardware buttons by name.
var buttons = map[string]func(hid.Device, context.Context) error{
	"HOME": hid.Device.Home, "LOCK": hid.Device.Button, "SIDE_BUTTON": hid.Device.Button, "SIRI": hid.Device.Button,
	"APPLE_PAY": hid.Device.Button,
}

func button(ctx context.Context, c call) error {
	if err := buttons[c.args.words["button"]](c.keyboard(), ctx); err != nil {
		return err
	}
	return c.world.Sleep(ctx, seconds(c.args.float("--duration", 0)))
}

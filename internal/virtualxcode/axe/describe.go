package axe

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"ios-agent/internal/virtualxcode/applejson"
	"ios-agent/internal/virtualxcode/axtree"
	"ios-agent/internal/virtualxcode/swiftargs"
	"ios-agent/internal/virtualxcode/world"
)

// form selects the keys that AXe prints of an element.
var form = axtree.Form{Children: true, PID: true}

func (c call) look(ctx context.Context) (axtree.Screen, error) {
	d, err := c.simulator()
	if err != nil {
		return axtree.Screen{}, err
	}
	return axtree.Look(ctx, c.world, d.UDID)
}

func describe(ctx context.Context, c call) error {
	var at *world.Point
	if text := c.args.Value("--point"); text != "" {
		p, err := parsePoint(text)
		if err != nil {
			return err
		}
		at = &p
	}
	screen, err := c.look(ctx)
	if err != nil {
		return err
	}
	var shown any = []any{form.Of(screen.Root())}
	if at != nil {
		shown = nil
		if hit, found := screen.At(*at); found {
			shown = form.Of(hit)
		}
	}
	_, err = fmt.Fprint(c.Stdout, applejson.Style{ShortEmpty: true}.Encode(shown))
	return err
}

func parsePoint(text string) (p world.Point, err error) {
	x, y, two := strings.Cut(text, ",")
	var errX, errY error
	p.X, errX = strconv.ParseFloat(strings.TrimSpace(x), 64)
	p.Y, errY = strconv.ParseFloat(strings.TrimSpace(y), 64)
	if !two || errX != nil || errY != nil {
		return p, swiftargs.Refuse("The value '%s' is invalid for '--point <x,y>'", text)
	}
	return p, nil
}

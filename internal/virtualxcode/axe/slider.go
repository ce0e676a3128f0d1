package axe

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"ios-agent/internal/virtualxcode/axtree"
	"ios-agent/internal/virtualxcode/swiftargs"
	"ios-agent/internal/virtualxcode/tool"
	"ios-agent/internal/virtualxcode/world"
)

// Limits of moving a slider: it is dragged from its present value, repeatedly, until it shows the requested value.
const (
	slideTime     = 600 * time.Millisecond
	slideAttempts = 8
	slideClose    = 0.004
)

func slide(ctx context.Context, c call) error {
	s, err := c.selector("--id", "--label")
	switch {
	case err != nil || s.option == "":
		return swiftargs.Refuse("Use exactly one of --id or --label to target a slider.")
	case !c.args.Has("--value"):
		return swiftargs.Refuse("Missing expected argument '--value <value>'")
	}
	value, err := c.between("--value", 0, 0, 100, "--value must be a finite number between 0 and 100.")
	if err != nil {
		return err
	}
	d, err := c.simulator()
	if err != nil {
		return err
	}
	shown := "none"
	for range slideAttempts {
		n, err := c.resolve(ctx, s)
		if err != nil {
			return err
		}
		now, err := position(n)
		if err != nil {
			return err
		}
		shown = *n.Value
		if math.Abs(now-value/100) <= slideClose {
			fmt.Fprintf(c.Stdout, "✓ Slider set to %s successfully (AXValue: %s)\n", percent(value), shown)
			return nil
		}
		from := world.Point{X: n.Frame.X + n.Frame.W*now, Y: n.Frame.Centre().Y}
		from.X = min(max(from.X, n.Frame.X+1), n.Frame.X+n.Frame.W-1)
		to := world.Point{X: from.X + n.Frame.W*(value/100-now), Y: from.Y}
		if err := c.world.Swipe(ctx, d.UDID, from, to, slideTime); err != nil {
			return err
		}
	}
	return tool.Refuse("Slider value did not reach requested value %s. Observed AXValue: %s.", percent(value), shown)
}

// position is a slider's value as a share from 0 to 1.
func position(n axtree.Node) (float64, error) {
	if n.Type != "Slider" {
		return 0, tool.Refuse("Matched element is not a slider (type: %s). Use --element-type Slider or a more specific "+
			"--id/--label selector.",
			n.Type)
	}
	if n.Value != nil {
		number, share := strings.CutSuffix(*n.Value, "%")
		if v, err := strconv.ParseFloat(strings.TrimSpace(number), 64); err == nil && v >= 0 && v <= 100 {
			if share || v > 1 {
				v /= 100
			}
			return v, nil
		}
	}
	return 0, tool.Refuse("Matched slider does not expose a numeric AXValue, so AXe cannot deterministically set it.")
}

// percent prints a whole number without decimals.
func percent(v float64) string {
	if v == math.Round(v) {
		return strconv.Itoa(int(v))
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

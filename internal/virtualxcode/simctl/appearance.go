package simctl

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"ios-agent/internal/virtualxcode/world"
)

// setting is an option of ui: its getter and setter.
type setting struct {
	get func(world.Settings) string
	set func(*world.Settings, string) bool // false: the value is unknown
}

func settings() map[string]setting {
	return map[string]setting{
		"appearance": {
			func(s world.Settings) string { return cmp.Or(s.Appearance, world.DefaultAppearance) },
			func(s *world.Settings, v string) bool {
				s.Appearance = v
				return v == "light" || v == "dark"
			},
		},
		"increase_contrast": {
			func(s world.Settings) string {
				if s.IncreaseContrast {
					return "enabled"
				}
				return "disabled"
			},
			func(s *world.Settings, v string) bool {
				s.IncreaseContrast = v == "enabled"
				return v == "enabled" || v == "disabled"
			},
		},
		"content_size": {
			func(s world.Settings) string { return cmp.Or(s.ContentSize, world.DefaultContentSize) },
			setContentSize,
		},
	}
}

// contentSizes are the text sizes, smallest first.
func contentSizes() []string {
	return []string{"extra-small", "small", "medium", "large", "extra-large", "extra-extra-large", "extra-extra-extra-large",
		"accessibility-medium", "accessibility-large", "accessibility-extra-large", "accessibility-extra-extra-large",
		"accessibility-extra-extra-extra-large"}
}

// setContentSize sets a size, or moves one step up or down.
func setContentSize(s *world.Settings, v string) bool {
	sizes := contentSizes()
	now := slices.Index(sizes, cmp.Or(s.ContentSize, world.DefaultContentSize))
	if step := map[string]int{"increment": 1, "decrement": -1}[v]; step != 0 {
		v = sizes[min(max(now+step, 0), len(sizes)-1)]
	}
	s.ContentSize = v
	return slices.Contains(sizes, v)
}

func userInterface(ctx context.Context, c *call) error {
	d, err := c.booted()
	if err != nil {
		return err
	}
	what, err := word(c, settings())
	if err != nil {
		return err
	}
	if len(c.Args) == 0 {
		s, err := c.world.Settings(d.UDID)
		fmt.Fprintln(c.Stdout, what.get(s))
		return err
	}
	value, err := c.last()
	if err != nil {
		return err
	}
	return c.world.Configure(ctx, d.UDID, func(s *world.Settings) error {
		if !what.set(s, value) {
			return errUsage
		}
		return nil
	})
}

package simctl

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"ios-agent/internal/virtualxcode/world"
)

// override is an overridable value of the status bar.
type override struct {
	option string // without dashes
	title  string // in list
	valid  func(string) bool
}

func oneOf(words string) func(string) bool {
	return func(v string) bool { return slices.Contains(strings.Fields(words), v) }
}

func upTo(most int) func(string) bool {
	return func(v string) bool {
		n, err := strconv.Atoi(v)
		return err == nil && n >= 0 && n <= most
	}
}

func anything(string) bool { return true }

func overrides() []override {
	return []override{
		{"time", "Time", anything},
		{"dataNetwork", "DataNetworkType", oneOf("hide wifi 3g 4g lte lte-a lte+ 5g 5g+ 5g-uwb 5g-uc")},
		{"wifiMode", "WiFi Mode", oneOf("searching failed active")},
		{"wifiBars", "WiFi Bars", upTo(3)},
		{"cellularMode", "Cell Mode", oneOf("notSupported searching failed active")},
		{"cellularBars", "Cell Bars", upTo(4)},
		{"operatorName", "Operator Name", anything},
		{"batteryState", "Battery State", oneOf("charging charged discharging")},
		{"batteryLevel", "Battery Level", upTo(100)},
	}
}

func statusBar(ctx context.Context, c *call) error {
	d, err := c.booted()
	if err != nil {
		return err
	}
	operation, err := word(c, map[string]func(*call, context.Context, world.Device) error{
		"list": (*call).listBar, "clear": (*call).clearBar, "override": (*call).overrideBar,
	})
	if err != nil {
		return err
	}
	return operation(c, ctx, d)
}

func (c *call) listBar(_ context.Context, d world.Device) error {
	if err := c.end(); err != nil {
		return err
	}
	s, err := c.world.Settings(d.UDID)
	if err != nil {
		return err
	}
	const heading = "Current Status Bar Overrides:"
	fmt.Fprintf(c.Stdout, "%s\n%s\n", heading, strings.Repeat("=", len(heading)))
	for _, o := range overrides() {
		if v, ok := s.StatusBar[o.option]; ok {
			fmt.Fprintf(c.Stdout, "%s: %s\n", o.title, v)
		}
	}
	return nil
}

func (c *call) clearBar(ctx context.Context, d world.Device) error {
	if err := c.end(); err != nil {
		return err
	}
	return c.world.Configure(ctx, d.UDID, func(s *world.Settings) error {
		s.StatusBar = nil
		return nil
	})
}

func (c *call) overrideBar(ctx context.Context, d world.Device) error {
	known := map[string]option{}
	for _, o := range overrides() {
		known["--"+o.option] = valued
	}
	given, err := c.options(known)
	if err != nil || len(given) == 0 || len(c.Args) > 0 {
		return errUsage
	}
	set := map[string]string{}
	for _, o := range overrides() {
		v, ok := given["--"+o.option]
		if ok && !o.valid(v) {
			return refused("Invalid value for --%s: %s", o.option, v)
		}
		if ok {
			set[o.option] = v
		}
	}
	return c.world.Configure(ctx, d.UDID, func(s *world.Settings) error {
		if s.StatusBar == nil {
			s.StatusBar = map[string]string{}
		}
		maps.Copy(s.StatusBar, set)
		return nil
	})
}

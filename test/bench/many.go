package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"ios-agent/internal/machine/home"
	"ios-agent/internal/machine/host"
)

// crowd is how many simulators a large lab has; a new world has a dozen.
const crowd = 1000

// crowdRatio bounds the cost of listing them, compared with listing a new world: it is below the ratio of their numbers, because most of
// the cost is starting a program.
const crowdRatio = 20

// crowding is what a thousand simulators cost whoever lists them.
func crowding(ctx context.Context, l *lab) ([]figure, error) {
	few, err := l.virtualTools(ctx, l.home())
	if err != nil {
		return nil, err
	}
	other := home.Home(l.path("crowd"))
	many, err := l.virtualTools(ctx, other)
	if err != nil {
		return nil, err
	}
	if err := fill(ctx, l, many); err != nil {
		return nil, err
	}
	list := func(tools string) func() (time.Duration, error) {
		return func() (time.Duration, error) {
			result, err := l.host.Run(ctx, l.tool(tools, "simctl", "list", "-j"))
			return result.Took, err
		}
	}
	got, err := alternate(15, list(few), list(many))
	if err != nil {
		return nil, err
	}
	return []figure{
		{name: fmt.Sprintf("virtual: simctl list -j of %d devices", crowd), value: inMillis(median(got[1])), unit: millis, bound: 300},
		{
			name:  fmt.Sprintf("virtual: simctl list -j of %d devices / of a new world's", crowd),
			value: ratio(got[1], got[0]), unit: times, bound: crowdRatio,
		},
	}, nil
}

// virtualTools is the folder with the tools of the virtual Xcode in a home.
func (l *lab) virtualTools(ctx context.Context, h home.Home) (string, error) {
	cmd := l.command("ios-agent", "virtual", "path")
	cmd.Env = append(cmd.Env, home.Variable+"="+h.String())
	result, err := l.host.Run(ctx, cmd)
	return strings.TrimSpace(string(result.Stdout)), err
}

// tool is one of Apple's names in a folder of virtual tools.
func (l *lab) tool(tools, name string, args ...string) host.Cmd {
	cmd := l.command("ios-agent", args...)
	cmd.Name = filepath.Join(tools, name)
	return cmd
}

// fill makes devices until there are as many as there should be.
func fill(ctx context.Context, l *lab, tools string) error {
	result, err := l.host.Run(ctx, l.tool(tools, "simctl", "list", "devices"))
	if err != nil {
		return err
	}
	for n := strings.Count(string(result.Stdout), ") ("); n < crowd; n++ {
		if _, err := l.host.Run(ctx, l.tool(tools, "simctl", "create", fmt.Sprintf("Phone %d", n), "iPhone 16", "iOS18.5")); err != nil {
			return err
		}
	}
	return nil
}

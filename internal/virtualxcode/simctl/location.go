package simctl

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"ios-agent/internal/virtualxcode/world"
)

// scenarios are the routes that come with Xcode, and their first points.
func scenarios() []world.Location {
	at := func(name string, latitude, longitude float64) world.Location {
		return world.Location{Set: true, Latitude: latitude, Longitude: longitude, Scenario: name}
	}
	return []world.Location{
		at("Apple", 37.334606, -122.009102), at("City Bicycle Ride", 37.334606, -122.009102),
		at("City Run", 37.33259, -122.030646), at("Freeway Drive", 37.371434, -122.128792),
	}
}

func location(ctx context.Context, c *call) error {
	d, err := c.booted()
	if err != nil {
		return err
	}
	act, err := word(c, map[string]func(*call) (world.Location, error){
		"list": nil, "clear": func(c *call) (world.Location, error) { return world.Location{}, c.end() },
		"set": (*call).setLocation, "run": (*call).runScenario, "start": (*call).startRoute,
	})
	if err != nil {
		return err
	}
	if act == nil {
		if err := c.end(); err != nil {
			return err
		}
		for _, s := range scenarios() {
			fmt.Fprintln(c.Stdout, s.Scenario)
		}
		return nil
	}
	to, err := act(c)
	if err != nil {
		return err
	}
	return c.world.Configure(ctx, d.UDID, func(s *world.Settings) error {
		s.Location = to
		return nil
	})
}

func (c *call) setLocation() (world.Location, error) {
	if len(c.Args) != 1 {
		return world.Location{}, errUsage
	}
	return coordinate(c.Args[0])
}

func (c *call) runScenario() (world.Location, error) {
	name, err := c.last()
	for _, s := range scenarios() {
		if err == nil && s.Scenario == name {
			return s, nil
		}
	}
	if err == nil {
		err = refused("Unknown scenario: %s", name)
	}
	return world.Location{}, err
}

// startRoute reads points from the arguments or standard input. The device moves to the last point at once: a route takes no time here.
func (c *call) startRoute() (at world.Location, err error) {
	if _, err := c.options(map[string]option{"--speed": valued, "--distance": valued, "--interval": valued}); err != nil {
		return at, err
	}
	points := c.Args
	if len(points) == 1 && points[0] == "-" {
		lines, err := io.ReadAll(c.Stdin)
		if err != nil {
			return at, err
		}
		points = strings.Fields(string(lines))
	}
	if len(points) < 2 {
		return at, errUsage
	}
	for _, p := range points {
		if at, err = coordinate(p); err != nil {
			return at, err
		}
	}
	at.Scenario = "route"
	return at, nil
}

func coordinate(text string) (world.Location, error) {
	first, second, _ := strings.Cut(text, ",")
	latitude, err1 := strconv.ParseFloat(strings.TrimSpace(first), 64)
	longitude, err2 := strconv.ParseFloat(strings.TrimSpace(second), 64)
	valid := err1 == nil && err2 == nil && latitude >= -90 && latitude <= 90 && longitude >= -180 && longitude <= 180
	if !valid {
		return world.Location{}, refused("Invalid coordinate: %s", text)
	}
	return world.Location{Set: true, Latitude: latitude, Longitude: longitude}, nil
}

package xcodebuild

import (
	"context"
	"fmt"
	"strings"
)

// resolve finds the requested destination, or the first available one.
func (s *session) resolve(ctx context.Context) error {
	if err := s.list(ctx); err != nil {
		return err
	}
	asked := map[string]string{}
	if len(s.destinations) > 0 {
		var ok bool
		if asked, ok = parseDestination(s.destinations[0]); !ok {
			return refuse(exitUsage, "option 'Destination' requires at least one parameter of the form 'key=value'")
		}
	} else if p, ok := platformOf(strings.TrimRight(s.sdk, "0123456789.")); ok {
		asked = map[string]string{"platform": p.name, "generic": "yes"}
	}
	lost, err := s.unresolvable(ctx, asked)
	if err != nil {
		return err
	}
	matches := s.matches(asked)
	if len(matches) == 0 || lost {
		return s.noDestination(asked)
	}
	s.destination = matches[0]
	if len(matches) > 1 && !s.asked["-json"] {
		fmt.Fprintln(s.Stderr, "--- xcodebuild: WARNING: Using the first of multiple matching destinations:")
		for _, d := range matches {
			fmt.Fprintln(s.Stderr, d.text())
		}
	}
	return nil
}

func (s *session) matches(asked map[string]string) (found []destination) {
	want := s.withLatest(asked)
	for _, d := range s.all {
		if d.problem == "" && d.fits(want) {
			found = append(found, d)
		}
	}
	return found
}

// withLatest resolves OS=latest, also the default for a name without an OS: the newest system of all devices, whether or not the named
// device has it.
func (s *session) withLatest(asked map[string]string) map[string]string {
	want := map[string]string{}
	for key, value := range asked {
		want[key] = value
	}
	if !impliesLatest(asked) {
		return want
	}
	want["OS"] = ""
	for _, d := range s.all {
		if d.name == asked["platform"] && d.problem == "" && compareVersions(d.os, want["OS"]) > 0 {
			want["OS"] = d.os
		}
	}
	return want
}

func impliesLatest(asked map[string]string) bool {
	return strings.HasSuffix(asked["platform"], "Simulator") && asked["name"] != "" && (asked["OS"] == "" || asked["OS"] == "latest")
}

func (d destination) fits(want map[string]string) bool {
	facts := map[string]string{"platform": d.name, "arch": d.arch, "variant": d.variant, "id": d.id, "OS": d.os, "name": d.device}
	for key, value := range want {
		fact, known := facts[key]
		switch {
		case key == "generic" && !d.generic:
			return false
		case !known, key == "OS" && (value == "" || value == "latest"):
		case key == "id" && strings.EqualFold(fact, value):
		case fact != value:
			return false
		}
	}
	return want["generic"] == "yes" || !d.generic || len(want) == 0 || want["id"] != "" || want["name"] != "" || d.sdk == "macosx"
}

// noDestination is the error for a destination, in one of two forms: an unknown device, or any other reason.
func (s *session) noDestination(asked map[string]string) error {
	parts := []string{}
	if impliesLatest(asked) && asked["OS"] == "" {
		asked["OS"] = "latest"
	}
	for _, key := range []string{"platform", "arch", "variant", "id", "OS", "name"} {
		if asked[key] != "" {
			parts = append(parts, key+":"+asked[key])
		}
	}
	noun, why := "destination", ""
	if asked["name"] != "" {
		noun, why = "device", "\n\tThe requested device could not be found because no available devices matched the request.\n"
	}
	if asked["generic"] != "" {
		parts = append([]string{"generic:" + asked["platform"]}, parts[1:]...)
	}
	prefix := ""
	if s.asked["-showBuildSettings"] {
		prefix = "Could not configure request to show build settings: "
	}
	return refuse(exitDestination, "%sUnable to find a %s matching the provided destination specifier:\n\t\t{ %s }\n%s%s", prefix, noun,
		strings.Join(parts, ", "), why, s.printDestinations())
}

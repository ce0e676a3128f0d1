package xcodebuild

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ios-agent/internal/virtualxcode/project"
)

// destination is a place that a scheme can be built for.
type destination struct {
	platform
	arch, variant, id, os, device string
	model, osBuild                string
	problem                       string // the reason why it is not eligible
	generic                       bool   // any device, not a specific one
}

// text is a destination in the tool's list.
func (d destination) text() string {
	parts := []string{"platform:" + d.name}
	for _, p := range [][2]string{{"arch", d.arch}, {"variant", d.variant}, {"id", d.id}, {"OS", d.os}, {"name", d.device},
		{"error", d.problem}} {
		if p[1] != "" {
			parts = append(parts, p[0]+":"+p[1])
		}
	}
	return "{ " + strings.Join(parts, ", ") + " }"
}

// parseDestination reads platform=iOS Simulator,name=… or generic/platform=iOS.
func parseDestination(text string) (map[string]string, bool) {
	d := map[string]string{}
	rest, generic := strings.CutPrefix(text, "generic/")
	if generic {
		d["generic"] = "yes"
	}
	last := ""
	for part := range strings.SplitSeq(rest, ",") {
		key, value, ok := strings.Cut(part, "=")
		if !ok && last == "" {
			return nil, false
		}
		if !ok { // a comma inside a value
			d[last] += "," + part
			continue
		}
		last = strings.TrimSpace(key)
		d[last] = value
	}
	return d, true
}

// supported are the platforms of the scheme's first target.
func (s *session) supported() (all []platform) {
	if p, ok := platformOf(s.preparedSDK); ok {
		return []platform{p}
	}
	for _, name := range append(slices.Clone(s.scheme.Build), s.scheme.Tests...) {
		p, t, ok := s.container.Owner(name)
		if !ok {
			continue
		}
		if t.Kind == project.PackageTarget || len(s.scheme.Build) > 0 && p.Configurations != nil && sdksOf(p, t, s.conf()) == nil {
			return platforms
		}
		for _, sdk := range sdksOf(p, t, s.conf()) {
			if found, ok := platformOf(sdk); ok {
				all = append(all, found)
			}
		}
		return all
	}
	return nil
}

// sdksOf are the SDKs of a target; nil means any.
func sdksOf(p *project.Project, t project.Target, conf string) []string {
	layers := []map[string]string{project.Settings(t.Configurations, conf), project.Settings(p.Configurations, conf)}
	for _, key := range []string{"SUPPORTED_PLATFORMS", "SDKROOT"} {
		for _, settings := range layers {
			v := strings.TrimSpace(settings[key])
			if v == "" || v == "auto" {
				continue
			}
			if key == "SUPPORTED_PLATFORMS" {
				return strings.Fields(strings.Trim(v, `"`))
			}
			return partners[v]
		}
	}
	return nil
}

// list returns all destinations of the scheme, in the tool's order.
func (s *session) list(ctx context.Context) error {
	var devices []Device
	if s.Devices != nil {
		var err error
		if devices, err = s.Devices.Devices(ctx); err != nil {
			return refuse(exitDestination, "%v", err)
		}
	}
	slices.SortStableFunc(devices, func(a, b Device) int { return cmp.Or(cmp.Compare(a.Name, b.Name), compareVersions(a.OS, b.OS)) })
	supported := s.supported()
	for _, p := range supported {
		if p.sdk == "macosx" {
			for arch := range strings.FieldsSeq(architectures) {
				s.all = append(s.all, destination{platform: p, arch: arch, id: macID, device: macName, model: "MacBook Pro",
					osBuild: p.build})
			}
		}
	}
	s.addDevices(supported, devices, false)
	for _, p := range supported {
		if !p.simulator() || s.missing(p) == "" {
			s.all = append(s.all, destination{platform: p, id: p.placeholder, device: p.any, generic: true, problem: s.missing(p)})
		}
	}
	s.addDevices(supported, devices, true)
	return nil
}

// MissingVariable names missing parts of a new Xcode: platforms, such as "watchOS tvOS", with SDKs but without simulators; "licence"
// for a license without agreement; "first-launch" for missing components.
const MissingVariable = "IOS_AGENT_VIRTUAL_MISSING"

// missing is the reason why a platform cannot be built for, or "".
func (s *session) missing(p platform) string {
	family := strings.TrimSuffix(p.name, " Simulator")
	if !s.lacks(family) {
		return ""
	}
	return fmt.Sprintf("%s %s is not installed. To use with Xcode, first download and install the platform", family, p.version)
}

func (s *session) lacks(what string) bool {
	return slices.Contains(strings.Fields(s.Getenv(MissingVariable)), what)
}

func (s *session) addDevices(supported []platform, devices []Device, simulators bool) {
	for _, p := range supported {
		for _, d := range devices {
			if d.Platform != p.name || p.simulator() != simulators || s.missing(p) != "" {
				continue
			}
			to := destination{platform: p, id: d.UDID, os: d.OS, device: d.Name, model: cmp.Or(d.Model, d.Name), osBuild: d.Build,
				problem: d.Unavailable, arch: "arm64"}
			if !simulators {
				to.os = ""
			}
			s.all = append(s.all, to)
			if simulators {
				to.arch = "x86_64"
				s.all = append(s.all, to)
			}
		}
	}
}

func compareVersions(a, b string) int {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for i := range max(len(x), len(y)) {
		if c := cmp.Compare(number(x, i), number(y, i)); c != 0 {
			return c
		}
	}
	return 0
}

func number(parts []string, i int) int {
	if i >= len(parts) {
		return 0
	}
	n, _ := strconv.Atoi(parts[i])
	return n
}

// printDestinations lists the available destinations, and then the ineligible ones.
func (s *session) printDestinations() string {
	var fine, others strings.Builder
	for _, d := range s.all {
		if d.problem == "" {
			fmt.Fprintf(&fine, "\t\t%s\n", d.text())
		} else if d.arch != "x86_64" {
			fmt.Fprintf(&others, "\t\t%s\n", d.text())
		}
	}
	text := ""
	if fine.Len() > 0 {
		text += fmt.Sprintf("\n\tAvailable destinations for the \"%s\" scheme:\n%s", s.scheme.Name, fine.String())
	}
	if others.Len() > 0 {
		text += fmt.Sprintf("\n\tIneligible destinations for the \"%s\" scheme:\n%s", s.scheme.Name, others.String())
	}
	return text
}

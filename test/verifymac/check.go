package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"ios-agent/internal/apple"
	"ios-agent/internal/apple/simctl"
	"ios-agent/internal/apple/xcodebuild"
)

// check is something that a run needs. All checks come before the first step, so that a person sees at once what is missing.
type check struct {
	name string
	do   string // the command or action that brings what is missing
	// stops is what cannot be tried without it: everything, the part or the step with this name, or nothing: it is advice.
	stops string
	ask   func(*trial, context.Context) (found string, err error)
}

// everything is stopped by a check without which no step makes sense.
const everything = "everything"

// lack is the reason for which steps are not tried, and what a person does about it.
type lack struct{ why, enable string }

// kind is which simulator to make.
type kind struct {
	runtime simctl.Runtime
	device  simctl.DeviceType
}

// What the agent's build, the simulator and the recordings need; virtual devices are a few files.
const (
	leastDisk    = 5 << 30
	leastVirtual = 16 << 20
)

// The panes of the settings in which a person allows a program to do something.
const pane = `open "x-apple.systempreferences:com.apple.preference.security?Privacy_%s", allow this terminal, and open it again`

func (t *trial) checks() []check {
	return []check{
		{"accessibility", fmt.Sprintf(pane, "Accessibility"), keyDesktop, may(accessibility)},
		{"screen-recording", fmt.Sprintf(pane, "ScreenCapture"), stepAppPicture, may("screen-recording")},
		{"Xcode", "install Xcode from the App Store, then: sudo xcode-select -s /Applications/Xcode.app", everything, (*trial).xcode},
		{"licence", "agree to Xcode's licence: sudo xcodebuild -license accept", everything, asks("agreed", "-license", "check")},
		{"components", "let Xcode install its components: sudo xcodebuild -runFirstLaunch", everything,
			asks("installed", "-checkFirstLaunchStatus")},
		{"disk", fmt.Sprintf("free %d GB of disk space", leastDisk>>30), everything, (*trial).disk},
		{"runtime", "download an iOS simulator: xcodebuild -downloadPlatform iOS", stepCreate, (*trial).newest},
		{"developer", "keep macOS from asking for a password at the first test: sudo DevToolsSecurity -enable", "", (*trial).developerMode},
	}
}

// check asks for all that the parts need.
func (t *trial) check(ctx context.Context, parts []part) {
	for _, c := range t.checks() {
		desktop := c.stops == keyDesktop || c.stops == stepAppPicture
		if desktop && !slices.ContainsFunc(parts, func(p part) bool { return p.key == keyDesktop && p.off == lack{} }) {
			continue
		}
		found, err := c.ask(t, ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			fmt.Fprintf(t.out, "ready   %-16s %s\n", c.name, found)
			continue
		}
		word, why := "missing", firstLine(err.Error())
		if c.stops == "" || desktop {
			word = "advice "
		}
		line := fmt.Sprintf("%s %-16s %s\n        %-16s do: %s\n", word, c.name, why, "", c.do)
		fmt.Fprint(t.out, line)
		t.advice += "  " + strings.ReplaceAll(strings.TrimSpace(line), "\n", "\n  ") + "\n"
		if _, earlier := t.lacks[c.stops]; c.stops != "" && !earlier {
			t.lacks[c.stops] = lack{c.name + ": " + why, c.do}
		}
	}
}

//go:embed permissions/Permissions.swift
var permissions []byte

const accessibility = "accessibility"

// virtuallyMissing reports whether a test demands that the virtual Mac lacks something.
func virtuallyMissing(what string) bool {
	return slices.Contains(strings.Fields(os.Getenv("IOS_AGENT_VIRTUAL_MISSING")), what)
}

// may is the check of a permission that macOS gives to the terminal. The answer comes from a Swift program, not from ios-agent. A Mac that
// does not answer is no obstacle: the step that needs the permission finds out.
func may(what string) func(*trial, context.Context) (string, error) {
	return func(t *trial, ctx context.Context) (string, error) {
		denied := errors.New("macOS does not allow it to this terminal: desktop apps are not driven without it")
		if t.tools.Name == apple.Virtual {
			if virtuallyMissing(what) {
				return "", denied
			}
			return "virtual", nil
		}
		said, err := t.allowed(ctx)
		switch {
		case err != nil:
			return "unknown: " + firstLine(err.Error()), nil
		case strings.Contains(said, what+" false"):
			return "", denied
		}
		return "allowed", nil
	}
}

// allowed runs the Swift program, once.
func (t *trial) allowed(ctx context.Context) (said string, err error) {
	const key = "permissions"
	if said, known := t.known[key]; known {
		return said, nil
	}
	source := filepath.Join(t.work, "Permissions.swift")
	if err = os.WriteFile(source, permissions, 0o600); err == nil {
		said, err = t.tool(ctx, "xcrun", "swift", source)
	}
	if err == nil {
		t.known[key] = said
	}
	return said, err
}

func (t *trial) xcode(ctx context.Context) (string, error) {
	folder, err := t.tool(ctx, "xcode-select", "-p")
	if err != nil {
		return "", err
	}
	release, err := xcodebuild.Version(ctx, t.aside, t.tools.Tool("xcodebuild"))
	if err != nil {
		return "", fmt.Errorf("xcodebuild of %s does not run: %w", strings.TrimSpace(folder), err)
	}
	t.about = fmt.Sprintf("Xcode %s (%s)", release.Version, release.Build)
	return t.about + " in " + strings.TrimSpace(folder), nil
}

// asks is a check that xcodebuild answers by its exit status.
func asks(fine string, args ...string) func(*trial, context.Context) (string, error) {
	return func(t *trial, ctx context.Context) (string, error) {
		_, err := t.tool(ctx, "xcodebuild", args...)
		return fine, err
	}
}

func (t *trial) newest(ctx context.Context) (string, error) {
	list, err := t.simctl().List(ctx)
	if err != nil {
		return "", err
	}
	sdk, err := t.tool(ctx, "xcrun", "--sdk", "iphonesimulator", "--show-sdk-version")
	if err != nil {
		return "", err
	}
	k, err := newestPhone(list, strings.TrimSpace(sdk))
	if err != nil {
		return "", err
	}
	t.known["device type"], t.known["runtime"] = k.device.ID, k.runtime.ID
	t.about += fmt.Sprintf("; %s on %s", k.runtime.Name, k.device.Name)
	for _, d := range list.Devices {
		if d.Name == simulatorName {
			fmt.Fprintf(t.out, "note    %-12s a simulator of an earlier run is left; delete it with: xcrun simctl delete %s\n", "", d.UDID)
		}
	}
	return k.runtime.Name + ", " + k.device.Name, nil
}

// newestPhone is the newest iOS that this Xcode can use, and the newest iPhone that runs it. A runtime that belongs to a newer Xcode, with
// an SDK of its own, is left out: simctl boots it, but xcodebuild may run no tests there.
func newestPhone(list simctl.List, sdk string) (kind, error) {
	var best kind
	for _, r := range list.Runtimes {
		if r.Platform != "iOS" || !r.Available || older(sdk, release(r.Version)) ||
			best.runtime.ID != "" && older(r.Version, best.runtime.Version) {
			continue
		}
		types := r.SupportedTypes
		if len(types) == 0 { // simctl did not tell
			types = list.DeviceTypes
		}
		if phone, ok := latest(types); ok {
			best = kind{r, phone}
		}
	}
	if best.runtime.ID == "" {
		return best, fmt.Errorf("no usable runtime for iOS %s or older among %d runtimes", sdk, len(list.Runtimes))
	}
	return best, nil
}

var model = regexp.MustCompile(`^iPhone (\d+)`)

// latest is the iPhone with the highest number. It skips iPhones without a number (SE, Air), because their names do not show their age.
func latest(types []simctl.DeviceType) (found simctl.DeviceType, ok bool) {
	best := 0
	for _, d := range types {
		if m := model.FindStringSubmatch(d.Name); m != nil {
			if n, err := strconv.Atoi(m[1]); err == nil && n > best {
				best, found, ok = n, d, true
			}
		}
	}
	return found, ok
}

// release is a version without its third number, which an SDK does not have.
func release(version string) string {
	parts := strings.SplitN(version, ".", 3)
	return strings.Join(parts[:min(len(parts), 2)], ".")
}

// older compares versions such as 9.3 and 18.1.1.
func older(a, b string) bool {
	numbers := func(version string) (all []int) {
		for part := range strings.SplitSeq(version, ".") {
			n, _ := strconv.Atoi(part) // a part without a number counts as the oldest
			all = append(all, n)
		}
		return all
	}
	return slices.Compare(numbers(a), numbers(b)) < 0
}

func (t *trial) disk(context.Context) (string, error) {
	home, err := os.UserHomeDir() // simulators live there
	if err != nil {
		return "", err
	}
	least := uint64(leastDisk)
	if t.tools.Name == apple.Virtual {
		least = leastVirtual
	}
	var free uint64
	for _, folder := range []string{home, t.work, t.options.out} {
		var s unix.Statfs_t
		if err := unix.Statfs(folder, &s); err != nil {
			return "", fmt.Errorf("%s: %w", folder, err)
		}
		if free = s.Bavail * uint64(s.Bsize); free < least {
			return "", fmt.Errorf("%d MB are free at %s, and %d MB are needed", free>>20, folder, least>>20)
		}
	}
	return fmt.Sprintf("%d GB are free", free>>30), nil
}

// developerMode asks whether tests may run without a password. Simulators do not seem to need it; a Mac that never ran a test may ask.
func (t *trial) developerMode(ctx context.Context) (string, error) {
	if t.tools.Name == apple.Virtual {
		return "virtual devices do not ask", nil
	}
	status, err := t.tool(ctx, "DevToolsSecurity", "-status")
	if err == nil && strings.Contains(status, "disabled") {
		err = errors.New(strings.TrimSpace(status))
	}
	return strings.TrimSpace(status), err
}

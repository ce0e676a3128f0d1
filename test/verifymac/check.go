package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"ios-agent/internal/apple"
	"ios-agent/internal/apple/simctl"
	"ios-agent/internal/apple/xcodebuild"
)

// check is something that a run needs. It is looked at before anything is made.
type check struct {
	name   string
	do     string // what a person does when it is missing
	advice bool   // the run begins without it
	ask    func(*trial, context.Context, *kind) (found string, err error)
}

// kind is which simulator to make.
type kind struct {
	runtime simctl.Runtime
	device  simctl.DeviceType
}

// leastDisk is what the agent's build, the simulator and the recordings need.
const leastDisk = 5 << 30

func checks() []check {
	return []check{
		{name: "Xcode", do: "install Xcode from the App Store, then: sudo xcode-select -s /Applications/Xcode.app", ask: (*trial).xcode},
		{name: "licence", do: "agree to Xcode's licence: sudo xcodebuild -license accept", ask: asks("agreed", "-license", "check")},
		{name: "components", do: "let Xcode install its components: sudo xcodebuild -runFirstLaunch",
			ask: asks("installed", "-checkFirstLaunchStatus")},
		{name: "runtime", do: "download an iOS simulator: xcodebuild -downloadPlatform iOS", ask: (*trial).newest},
		{name: "disk", do: fmt.Sprintf("free %d GB of disk space", leastDisk>>30), ask: (*trial).disk},
		{name: "developer", do: "keep macOS from asking for a password at the first test: sudo DevToolsSecurity -enable", advice: true,
			ask: (*trial).developerMode},
	}
}

// check looks at all that is needed, so that a person sees at once what is missing.
func (t *trial) check(ctx context.Context) (kind, bool) {
	var k kind
	ready := true
	for _, c := range checks() {
		found, err := c.ask(t, ctx, &k)
		switch {
		case err != nil && c.advice:
			fmt.Fprintf(t.out, "advice  %-12s %s\n        %-12s do: %s\n", c.name, firstLine(err.Error()), "", c.do)
		case err != nil:
			ready = false
			fmt.Fprintf(t.out, "missing %-12s %s\n        %-12s do: %s\n", c.name, firstLine(err.Error()), "", c.do)
		default:
			fmt.Fprintf(t.out, "ready   %-12s %s\n", c.name, found)
		}
	}
	return k, ready
}

func (t *trial) xcode(ctx context.Context, _ *kind) (string, error) {
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
func asks(fine string, args ...string) func(*trial, context.Context, *kind) (string, error) {
	return func(t *trial, ctx context.Context, _ *kind) (string, error) {
		_, err := t.tool(ctx, "xcodebuild", args...)
		return fine, err
	}
}

func (t *trial) newest(ctx context.Context, k *kind) (string, error) {
	list, err := t.simctl().List(ctx)
	if err != nil {
		return "", err
	}
	sdk, err := t.tool(ctx, "xcrun", "--sdk", "iphonesimulator", "--show-sdk-version")
	if err != nil {
		return "", err
	}
	if *k, err = newestPhone(list, strings.TrimSpace(sdk)); err != nil {
		return "", err
	}
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

func (t *trial) disk(context.Context, *kind) (string, error) {
	folder, err := os.UserHomeDir() // simulators live there
	if err != nil {
		return "", err
	}
	var s unix.Statfs_t
	if err := unix.Statfs(folder, &s); err != nil {
		return "", fmt.Errorf("%s: %w", folder, err)
	}
	free := s.Bavail * uint64(s.Bsize)
	if free < leastDisk && t.tools.Name != apple.Virtual { // virtual devices are a few files
		return "", fmt.Errorf("%.1f GB are free", float64(free)/(1<<30))
	}
	return fmt.Sprintf("%d GB are free", free>>30), nil
}

// developerMode asks whether tests may run without a password. Simulators do not seem to need it; a Mac that never ran a test may ask.
func (t *trial) developerMode(ctx context.Context, _ *kind) (string, error) {
	if t.tools.Name == apple.Virtual {
		return "virtual devices do not ask", nil
	}
	status, err := t.tool(ctx, "DevToolsSecurity", "-status")
	if err == nil && strings.Contains(status, "disabled") {
		err = errors.New(strings.TrimSpace(status))
	}
	return strings.TrimSpace(status), err
}

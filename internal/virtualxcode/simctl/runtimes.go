package simctl

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"ios-agent/internal/virtualxcode/applejson"
	"ios-agent/internal/virtualxcode/world"
)

// runtimeSize is the reported size of a disk image.
const runtimeSize = 7_900_000_000

// runtimeVerb is simctl runtime, which manages disk images.
func runtimeVerb(_ context.Context, c *call) error {
	asJSON := false
	c.Args = slices.DeleteFunc(slices.Clone(c.Args), func(a string) bool {
		asJSON = asJSON || a == "-j" || a == "--json"
		return a == "-j" || a == "--json" || a == "-v"
	})
	what, err := c.take()
	if err != nil {
		return err
	}
	if what == "match" {
		if next, err := c.take(); err != nil || next != "list" {
			return errUsage
		}
		what = "match list"
	}
	verbs := map[string]func(bool){"list": c.listImages, "match list": c.listMatches}
	if show := verbs[what]; show != nil {
		err := c.end()
		if err == nil {
			show(asJSON)
		}
		return err
	}
	if slices.Contains([]string{"add", "delete", "verify", "unmount", "scan-and-mount", "match set"}, what) {
		return unsupported("runtime " + what)
	}
	return errUsage
}

// images are the installed runtimes.
func (c *call) images() []world.Runtime {
	return slices.DeleteFunc(c.world.Runtimes(), func(r world.Runtime) bool { return r.Unavailable != "" })
}

// imageID is a fixed UUID per runtime.
func imageID(r world.Runtime) string {
	sum := sha256.Sum256([]byte("image\x00" + r.ID))
	return strings.ToUpper(fmt.Sprintf("%x-%x-%x-%x-%x", sum[0:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16]))
}

func (c *call) listImages(asJSON bool) {
	images := c.images()
	if !asJSON {
		fmt.Fprintln(c.Stdout, "== Disk Images ==")
		platform := ""
		for _, r := range images {
			if r.Platform != platform {
				platform = r.Platform
				fmt.Fprintf(c.Stdout, "-- %s --\n", platform)
			}
			fmt.Fprintf(c.Stdout, "%s (%s) - %s (Ready)\n", r.Name(), r.Build, imageID(r))
		}
		fmt.Fprintf(c.Stdout, "\nTotal Disk Images: %d (%.1fG)\n\n", len(images), float64(len(images))*runtimeSize/1e9)
		return
	}
	all := object{}
	for _, r := range images {
		volume, _, _ := strings.Cut(r.BundlePath(), "/Library/Developer/CoreSimulator/Profiles")
		all = append(all, member{imageID(r), object{
			{"build", r.Build}, {"deletable", true}, {"identifier", imageID(r)}, {"kind", "Disk Image"}, {"mountPath", volume},
			{"path", "/Library/Developer/CoreSimulator/Images/" + imageID(r) + ".dmg"},
			{"platformIdentifier", "com.apple.platform." + sdkOf(r, true)},
			{"runtimeBundlePath", r.BundlePath()}, {"runtimeIdentifier", r.ID}, {"signatureState", "Verified"},
			{"sizeBytes", runtimeSize}, {"state", "Ready"}, {"version", r.Version},
		}})
	}
	fmt.Fprint(c.Stdout, applejson.Encode(all))
}

// sdkNames are the names of the SDKs of devices and of simulators.
var sdkNames = map[string][2]string{"iOS": {"iphoneos", "iphonesimulator"}, "tvOS": {"appletvos", "appletvsimulator"},
	"watchOS": {"watchos", "watchsimulator"}, "visionOS": {"xros", "xrsimulator"}}

// platformFolders are Xcode's folder names of platforms.
var platformFolders = map[string]string{"iOS": "iPhoneOS", "tvOS": "AppleTVOS", "watchOS": "WatchOS", "visionOS": "XROS"}

func sdkOf(r world.Runtime, simulator bool) string {
	if simulator {
		return sdkNames[r.Platform][1]
	}
	return sdkNames[r.Platform][0]
}

// listMatches lists the runtime matched with each SDK: the runtime of the SDK's version.
func (c *call) listMatches(asJSON bool) {
	all := object{}
	for _, platform := range []string{"tvOS", "iOS", "watchOS", "visionOS"} {
		for _, r := range c.images() {
			if r.Platform != platform || r.Version != sdkVersions[platform] {
				continue
			}
			name := sdkOf(r, false)
			folder := platformFolders[platform]
			all = append(all, member{name + r.Version, object{
				{"chosenRuntimeBuild", r.Build}, {"defaultBuild", r.Build}, {"platform", "com.apple.platform." + name},
				{"preferredBuild", r.Build}, {"sdkBuild", r.Build},
				{"sdkDirectory", "/Applications/Xcode.app/Contents/Developer/Platforms/" + folder + ".platform/Developer/SDKs/" + folder +
					r.Version + ".sdk"}, {"sdkVersion", r.Version},
			}})
		}
	}
	if asJSON {
		fmt.Fprint(c.Stdout, applejson.Encode(all))
		return
	}
	for _, m := range all {
		about := m.value.(object)
		fmt.Fprintf(c.Stdout, "%s:\n", m.key)
		for _, field := range about {
			fmt.Fprintf(c.Stdout, "\t%s: %v\n", field.key, field.value)
		}
	}
}

// sdkVersions are the SDK versions of the imitated Xcode.
var sdkVersions = map[string]string{"iOS": "18.5", "tvOS": "18.5", "watchOS": "11.5", "visionOS": "2.5"}

package world

import (
	"path"
	"slices"
	"strings"
)

// Path prefixes of the real tools.
const (
	defaultRoot = "/Users/virtual/Library/Developer/CoreSimulator"
	platforms   = "/Applications/Xcode.app/Contents/Developer/Platforms"
	volumes     = "/Library/Developer/CoreSimulator/Volumes"
)

// Screen is the size of a device's screen, in points.
type Screen struct {
	Width, Height float64
	Scale         float64 // pixels per point
	Top, Bottom   float64 // insets of the status bar and the home indicator
	Side          float64 // inset of a notch at both sides in landscape
}

// Bounds is the frame of the whole screen.
func (s Screen) Bounds() Rect { return Rect{W: s.Width, H: s.Height} }

// DeviceType is a model that can be simulated.
type DeviceType struct {
	ID         string
	Name       string
	Family     string
	Model      string // such as "iPhone17,1"
	MinRuntime string // the first supported version of the system
	Platform   string // its platform folder in Xcode
	Screen     Screen
}

// BundlePath is the path of the type in Xcode.
func (t DeviceType) BundlePath() string {
	return path.Join(platforms, t.Platform+".platform", "Library/Developer/CoreSimulator/Profiles/DeviceTypes", t.Name+".simdevicetype")
}

// Runtime is an operating system of simulators.
type Runtime struct {
	ID          string
	Platform    string // such as "iOS"
	Version     string
	Build       string
	Families    []string // supported device families
	Unavailable string   // why it is unavailable; empty: it is available
}

// Name is the runtime's name in the tools.
func (r Runtime) Name() string { return r.Platform + " " + r.Version }

// BundlePath is the mount point of the runtime's disk image.
func (r Runtime) BundlePath() string {
	return path.Join(volumes, r.Platform+"_"+r.Build, "Library/Developer/CoreSimulator/Profiles/Runtimes", r.Name()+".simruntime")
}

// Root is the runtime's root file system.
func (r Runtime) Root() string { return path.Join(r.BundlePath(), "Contents/Resources/RuntimeRoot") }

// Runs reports whether a device of type t can run r.
func (r Runtime) Runs(t DeviceType) bool {
	return slices.Contains(r.Families, t.Family) && !older(r.Version, t.MinRuntime)
}

// named reports whether text names r: by its id, as "iOS 18.5", or as "iOS18.5".
func (r Runtime) named(name string) bool {
	return r.ID == name || strings.EqualFold(strings.ReplaceAll(r.Name(), " ", ""), strings.ReplaceAll(name, " ", ""))
}

// older reports whether version a comes before b; missing parts count as zero.
func older(a, b string) bool {
	for a != "" || b != "" {
		var x, y string
		x, a, _ = strings.Cut(a, ".")
		y, b, _ = strings.Cut(b, ".")
		if x != y && (x == "" || y == "" || number(x) != number(y)) {
			return number(x) < number(y)
		}
	}
	return false
}

func number(digits string) (n int) {
	for _, d := range digits {
		n = n*10 + int(d-'0')
	}
	return n
}

// Runtimes lists all runtimes, also unavailable ones.
func (w *World) Runtimes() []Runtime { return runtimes() }

// DeviceTypes lists the models that can be simulated.
func (w *World) DeviceTypes() []DeviceType { return deviceTypes() }

func typeCalled(name string) (DeviceType, error) {
	for _, t := range deviceTypes() {
		if t.ID == name || t.Name == name {
			return t, nil
		}
	}
	return DeviceType{}, invalidType(name)
}

func runtimeCalled(name string) (Runtime, error) {
	for _, r := range runtimes() {
		if r.named(name) {
			return r, nil
		}
	}
	return Runtime{}, invalidRuntime(name)
}

// newestFor is the default runtime of a new device.
func newestFor(t DeviceType) (best Runtime, err error) {
	for _, r := range runtimes() {
		if r.Unavailable == "" && r.Runs(t) && (best.ID == "" || older(best.Version, r.Version)) {
			best = r
		}
	}
	if best.ID == "" {
		return best, incompatible()
	}
	return best, nil
}

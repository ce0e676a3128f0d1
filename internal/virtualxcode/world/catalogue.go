package world

import "path"

// What the paths of the real tools begin with.
const (
	defaultRoot = "/Users/virtual/Library/Developer/CoreSimulator"
	platforms   = "/Applications/Xcode.app/Contents/Developer/Platforms"
	volumes     = "/Library/Developer/CoreSimulator/Volumes"
)

// Screen is the glass of a device, in points.
type Screen struct {
	Width, Height float64
	Scale         float64 // pixels a point
	Top, Bottom   float64 // what the status bar and the home indicator take
}

// Bounds is the frame of the whole screen.
func (s Screen) Bounds() Rect { return Rect{W: s.Width, H: s.Height} }

// DeviceType is a model that can be simulated.
type DeviceType struct {
	ID         string
	Name       string
	Family     string
	Model      string // such as "iPhone17,1"
	MinRuntime string // the first version that runs on it
	Platform   string // the platform folder of Xcode it comes from
	Screen     Screen
}

// BundlePath is where Xcode keeps the type.
func (t DeviceType) BundlePath() string {
	return path.Join(platforms, t.Platform+".platform", "Library/Developer/CoreSimulator/Profiles/DeviceTypes", t.Name+".simdevicetype")
}

// Runtime is an operating system that simulators run.
type Runtime struct {
	ID       string
	Platform string // such as "iOS"
	Version  string
	Build    string
	Families []string // the device families it supports
}

// Name is what the tools call the runtime.
func (r Runtime) Name() string { return r.Platform + " " + r.Version }

// BundlePath is where the runtime's disk image is mounted.
func (r Runtime) BundlePath() string {
	return path.Join(volumes, r.Platform+"_"+r.Build, "Library/Developer/CoreSimulator/Profiles/Runtimes", r.Name()+".simruntime")
}

// Root is the runtime's root file system.
func (r Runtime) Root() string { return path.Join(r.BundlePath(), "Contents/Resources/RuntimeRoot") }

func runtimes() []Runtime {
	return []Runtime{{
		ID: "com.apple.CoreSimulator.SimRuntime.iOS-18-5", Platform: "iOS", Version: "18.5", Build: "22F77",
		Families: []string{"iPhone", "iPad"},
	}}
}

func deviceTypes() []DeviceType {
	return []DeviceType{{
		ID: "com.apple.CoreSimulator.SimDeviceType.iPhone-16-Pro", Name: "iPhone 16 Pro", Family: "iPhone",
		Model: "iPhone17,1", MinRuntime: "18.0.0", Platform: "iPhoneOS",
		Screen: Screen{Width: 402, Height: 874, Scale: 3, Top: 62, Bottom: 34},
	}}
}

// made is a device of the default set.
type made struct{ udid, name, deviceType, runtime string }

func defaultDevices() []made {
	return []made{{
		udid: "6C2A8F51-93D4-4E0B-A7C6-1F5B0D3E8A92", name: "iPhone 16 Pro",
		deviceType: "com.apple.CoreSimulator.SimDeviceType.iPhone-16-Pro",
		runtime:    "com.apple.CoreSimulator.SimRuntime.iOS-18-5",
	}}
}

// Runtimes lists the runtimes installed.
func (w *World) Runtimes() []Runtime { return runtimes() }

// DeviceTypes lists the models that can be simulated.
func (w *World) DeviceTypes() []DeviceType { return deviceTypes() }

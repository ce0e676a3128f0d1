package open

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/internal/virtualxcode/tool"
)

// The apps that show devices. An Xcode has Simulator or, from version 27 on, Device Hub, which also opens URLs.
const (
	simulator       = "Simulator"
	deviceHub       = "DeviceHub"
	deviceHubScheme = "devices"
)

// Shown is a file among the records: the paths of the apps that were opened to show devices, one per line.
const Shown = "shown.txt"

// showsDevices reports whether a path is the place of an app that shows devices in this Xcode. Neither needs to exist.
func (t Tool) showsDevices(path string) bool {
	return t.Xcode != "" && slices.Contains([]string{t.app(simulator), t.app(deviceHub)}, filepath.Clean(path))
}

// app is the path of an app of this Xcode: Simulator in the developer folder, Device Hub next to it.
func (t Tool) app(name string) string {
	if name == deviceHub {
		return filepath.Join(filepath.Dir(t.Xcode), "Applications", deviceHub+".app")
	}
	return filepath.Join(t.Xcode, "Applications", name+".app")
}

// show opens an app that shows devices, by name or path.
func (t Tool) show(app string) error {
	happens, err := t.faults(flaw.NoSimulatorApp, flaw.AnotherSimulator)
	if err != nil {
		return err
	}
	name := strings.TrimSuffix(filepath.Base(app), ".app")
	absent := happens[flaw.NoSimulatorApp] != nil && name == simulator
	switch {
	case app == simulator && happens[flaw.AnotherSimulator] != nil:
		app = "/Applications/Xcode-of-last-year.app/Contents/Developer/Applications/Simulator.app"
	case absent && app == simulator:
		return tool.Refuse("Unable to find application named '%s'", app)
	case absent:
		return tool.Refuse("The file %s does not exist.", app)
	default:
		app = t.app(name)
	}
	return t.note(app)
}

// hubOpens opens a URL of Device Hub, if this Xcode has Device Hub.
func (t Tool) hubOpens(u *url.URL) (bool, error) {
	if u.Scheme != deviceHubScheme || u.Host != "device" {
		return false, nil
	}
	happens, err := t.faults(flaw.NoSimulatorApp)
	if err != nil || happens[flaw.NoSimulatorApp] == nil {
		return false, err
	}
	return true, t.note(t.app(deviceHub))
}

// note records that an app was opened.
func (t Tool) note(app string) error {
	if err := os.MkdirAll(t.Records, 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(filepath.Join(t.Records, Shown), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(file, app)
	if closed := file.Close(); err == nil {
		err = closed
	}
	return err
}

func (t Tool) faults(names ...string) (map[string]map[string]string, error) {
	if t.Faults == nil {
		return nil, nil
	}
	return t.Faults(names...)
}

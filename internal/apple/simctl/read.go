package simctl

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ios-agent/internal/apple/jsondoc"
	"ios-agent/internal/machine/docfile"
	short "ios-agent/internal/text/brief" // the tests have a word of that name
	"ios-agent/internal/text/lazyregexp"
)

// Output is an answer of simctl to an unknown question; one field is set.
type Output struct {
	List    *List                      `json:"list,omitempty"`
	Apps    []App                      `json:"apps,omitempty"`
	Matches map[string]json.RawMessage `json:"runtimeMatches,omitempty"` // of `simctl runtime match list`, by SDK
}

// App is the answer of `simctl listapps` or `simctl appinfo` about an app; Info has all of it.
type App struct {
	BundleID  string         `json:"bundleId"`
	Name      string         `json:"name,omitempty"`
	Type      string         `json:"type,omitempty"` // User, System
	Version   string         `json:"version,omitempty"`
	Path      string         `json:"path,omitempty"`
	Container string         `json:"dataContainer,omitempty"`
	Info      map[string]any `json:"info,omitempty"`
}

var (
	listHeading = lazyregexp.New(`(?m)^== (?:Devices|Runtimes|Device Types|Device Pairs) ==\s*$`)
	plistEntry  = lazyregexp.New(`(?m)^\s*(?:ApplicationType|CFBundleIdentifier|CFBundleExecutable) = `)
)

// Sniff returns a percentage for the text being an answer of simctl.
func Sniff(b []byte) int {
	o := jsondoc.Look(b)
	switch {
	case o.Kind == '{' && (o.Keys["devices"] == "object" || o.Keys["devicetypes"] == "array" || o.Keys["pairs"] == "object" &&
		len(o.Keys) <= 4):
		return 98
	case o.Keys["runtimes"] == "array":
		return 95
	case isMatches(o):
		return 95
	case o.Kind != 0 && len(o.Keys) > 0:
		return 0
	}
	head := b[:min(len(b), 1<<16)]
	switch {
	case listHeading.Match(head):
		return 98
	case len(strings.TrimSpace(string(head))) > 0 && strings.TrimSpace(string(head))[0] == '{' && plistEntry.Match(head):
		return 95
	}
	return 0
}

func isMatches(o jsondoc.Outline) bool {
	for k := range o.Keys {
		if o.Sub[k+"/sdkVersion"] == "string" && (o.Sub[k+"/chosenRuntimeBuild"] != "" || o.Sub[k+"/sdkBuild"] != "") {
			return true
		}
	}
	return false
}

// Read reads a list in either form, the apps of a device, or the runtimes chosen for SDKs.
func Read(data []byte) (*Output, error) {
	o := jsondoc.Look(data)
	switch {
	case o.Kind == '{' && isMatches(o):
		out := &Output{}
		if err := jsondoc.Decode(data, &out.Matches); err != nil {
			return nil, fmt.Errorf("simctl: %w", err)
		}
		return out, nil
	case o.Kind == '{' && len(o.Keys) > 0:
		l, err := ParseList(data)
		return &Output{List: &l}, err
	case listHeading.Match(data):
		l, err := ParseListText(data)
		return &Output{List: &l}, err
	}
	apps, err := ParseApps(data)
	if err != nil {
		return nil, err
	}
	return &Output{Apps: apps}, nil
}

// ParseApps reads the old-style property list of `simctl listapps`, or of `simctl appinfo`, which is one app of it.
func ParseApps(data []byte) ([]App, error) {
	var all map[string]any
	if err := docfile.Plist(data, &all); err != nil {
		return nil, fmt.Errorf("simctl listapps: %w", err)
	}
	if id, ok := all["CFBundleIdentifier"].(string); ok {
		return []App{app(id, all)}, nil
	}
	var apps []App
	for _, id := range sortedNames(all) {
		info, ok := all[id].(map[string]any)
		if !ok {
			continue
		}
		apps = append(apps, app(id, info))
	}
	if len(apps) == 0 {
		return nil, errors.New("simctl listapps: no app in the list")
	}
	return apps, nil
}

func app(id string, info map[string]any) App {
	text := func(key string) string {
		switch v := info[key].(type) {
		case nil:
			return ""
		case string:
			return v
		default:
			return fmt.Sprint(v)
		}
	}
	a := App{BundleID: id, Name: text("CFBundleDisplayName"), Type: text("ApplicationType"), Version: text("CFBundleVersion"),
		Path: text("Path"), Container: text("DataContainer"), Info: info}
	if a.Name == "" {
		a.Name = text("CFBundleName")
	}
	return a
}

// Text is the answer in at most limit bytes.
func (o *Output) Text(limit int) string {
	w := short.New(limit)
	switch {
	case o.List != nil:
		o.List.write(w)
	case o.Apps != nil:
		w.Line(short.Count(len(o.Apps), "app"))
		w.List("apps", len(o.Apps), func(i int) []string {
			a := o.Apps[i]
			return []string{short.Join(" ", a.BundleID, a.Version, a.Name, a.Type, a.Path)}
		})
	default:
		keys := sortedNames(o.Matches)
		w.List("SDKs", len(keys), func(i int) []string { return []string{keys[i] + " " + string(o.Matches[keys[i]])} })
	}
	return w.String()
}

// write lists booted devices first, then devices that can be booted.
func (l *List) write(w *short.Writer) {
	var order []Device
	for _, pass := range []func(Device) bool{
		func(d Device) bool { return d.State == StateBooted },
		func(d Device) bool { return d.State != StateBooted && d.Available },
		func(d Device) bool { return d.State != StateBooted && !d.Available },
	} {
		for _, d := range l.Devices {
			if pass(d) {
				order = append(order, d)
			}
		}
	}
	w.Line(short.Join(", ", short.Count(len(l.Devices), "device"), short.Count(len(l.Runtimes), "runtime"),
		short.Count(len(l.DeviceTypes), "device type"), short.Count(len(l.Pairs), "pair")))
	w.List("devices", len(order), func(i int) []string {
		d := order[i]
		return []string{short.Join(", ", d.Name, d.UDID, d.State, d.Section, d.AvailabilityError)}
	})
	if len(l.Devices) == 0 {
		w.List("runtimes", len(l.Runtimes), func(i int) []string {
			r := l.Runtimes[i]
			return []string{short.Join(", ", r.Name, r.Version, r.Build, r.ID, r.AvailabilityError)}
		})
	}
}

func sortedNames[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for k := range m {
		names = append(names, k)
	}
	slices.Sort(names)
	return names
}

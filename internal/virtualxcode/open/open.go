// Package open plays macOS's open. A Tool starts an app as an independent process that outlives this one, and records started apps as
// LaunchServices does. Opening a thing that only shows a window succeeds without a window.
package open

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"howett.net/plist"

	"ios-agent/internal/machine/host"
	"ios-agent/internal/machine/processes"
	"ios-agent/internal/machine/regularfile"
	"ios-agent/internal/machine/wholefile"
	"ios-agent/internal/virtualxcode/mark"
	"ios-agent/internal/virtualxcode/tool"
)

// Tool is one call of open, with a folder for its records.
type Tool struct {
	tool.Call
	Records string
	Xcode   string // the developer folder

	Faults func(names ...string) (map[string]map[string]string, error) // reports faults; nil: no faults
}

// exitFailed is the exit status of open when it fails.
const exitFailed = 1

// order is a parsed command line.
type order struct {
	app    string // -a
	bundle string // -b
	fresh  bool   // -n: also if the app runs
	things []string
	args   []string
	env    []string
}

// windows are apps that only show windows. They are not started.
var windows = []string{"Xcode", "Finder", "Safari"}

// Run plays one command line.
func (t Tool) Run() int {
	o, err := parse(t.Args)
	if err == nil {
		err = t.do(o)
	}
	if err != nil {
		fmt.Fprintln(t.Stderr, err)
		return exitFailed
	}
	return 0
}

const usage = "Usage: open [-e] [-t] [-f] [-W] [-R] [-n] [-g] [-h] [-s <partial SDK name>][-b <bundle identifier>] [-a <application>] " +
	"[-u URL] [filenames] [--args arguments]"

func parse(argv []string) (o order, err error) {
	for i := 0; i < len(argv); i++ {
		var into *string
		switch arg := argv[i]; arg {
		case "--args":
			o.args = argv[i+1:]
			return o, nil
		case "-a":
			into = &o.app
		case "-b":
			into = &o.bundle
		case "-u":
			o.things = append(o.things, "")
			into = &o.things[len(o.things)-1]
		case "--env":
			o.env = append(o.env, "")
			into = &o.env[len(o.env)-1]
		case "-n", "--new":
			o.fresh = true
		case "-g", "--background", "-j", "--hide", "-F", "--fresh", "-R", "--reveal":
		default:
			if strings.HasPrefix(arg, "-") {
				return o, tool.Refuse("open: unrecognized option `%s'\n%s", arg, usage)
			}
			o.things = append(o.things, arg)
		}
		if into == nil {
			continue
		}
		if i++; i == len(argv) {
			return o, tool.Refuse("open: option requires an argument -- %s\n%s", strings.TrimLeft(argv[i-1], "-"), usage)
		}
		*into = argv[i]
	}
	if o.app == "" && o.bundle == "" && len(o.things) == 0 {
		return o, tool.Refuse("%s", usage)
	}
	return o, nil
}

func (t Tool) do(o order) error {
	if o.app != "" || o.bundle != "" {
		return t.named(o)
	}
	for _, thing := range o.things {
		if u, err := url.Parse(thing); err == nil && len(u.Scheme) > 1 && u.Scheme != "file" {
			hub, err := t.hubOpens(u)
			if err != nil {
				return err
			}
			if !hub && !slices.Contains([]string{"http", "https", "mailto"}, u.Scheme) {
				return tool.Refuse("No application knows how to open URL %s (Error Domain=NSOSStatusErrorDomain Code=-10814 "+
					"\"kLSApplicationNotFoundErr: E.g. no application claims the file\").", thing)
			}
			continue
		}
		path := filepath.Clean(t.Path(strings.TrimPrefix(thing, "file://")))
		if t.showsDevices(path) {
			if err := t.show(path); err != nil {
				return err
			}
			continue
		}
		if _, err := os.Stat(path); err != nil {
			return tool.Refuse("The file %s does not exist.", path)
		}
		if !strings.HasSuffix(path, ".app") {
			continue // a document or a folder would only open a window
		}
		if err := t.start(path, o); err != nil {
			return err
		}
	}
	return nil
}

// named opens an app by its name, its folder or its bundle id.
func (t Tool) named(o order) error {
	if o.app == simulator || o.app == deviceHub || t.showsDevices(o.app) {
		return t.show(o.app)
	}
	if slices.Contains(windows, strings.TrimSuffix(filepath.Base(o.app), ".app")) {
		return nil
	}
	if strings.ContainsRune(o.app, filepath.Separator) {
		if _, err := os.Stat(t.Path(o.app)); err == nil {
			return t.start(o.app, o)
		}
	}
	records, err := t.records()
	if err != nil {
		return err
	}
	for _, r := range records {
		name := strings.TrimSuffix(filepath.Base(r.App), ".app")
		if _, err := os.Stat(r.App); err == nil && (o.app != "" && strings.EqualFold(name, strings.TrimSuffix(o.app, ".app")) ||
			o.bundle != "" && r.Bundle == o.bundle) {
			return t.start(r.App, o)
		}
	}
	if o.bundle != "" {
		return tool.Refuse("LSCopyApplicationURLsForBundleIdentifier() failed while trying to determine the application with bundle "+
			"identifier %s.", o.bundle)
	}
	return tool.Refuse("Unable to find application named '%s'", o.app)
}

// record is an app that was opened before, with its latest process.
type record struct {
	App    string `json:"app"` // its folder
	Bundle string `json:"bundle"`
	PID    int    `json:"pid"`
	Start  string `json:"start"`
}

func (t Tool) file(app string) string {
	return filepath.Join(t.Records, fmt.Sprintf("%x", sha256.Sum256([]byte(app)))[:16]+".json")
}

func (t Tool) records() (all []record, err error) {
	entries, err := os.ReadDir(t.Records)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if r, ok := read(filepath.Join(t.Records, e.Name())); ok {
			all = append(all, r)
		}
	}
	return all, err
}

func read(file string) (r record, ok bool) {
	data, err := regularfile.Read(file, maxInfo)
	return r, err == nil && json.Unmarshal(data, &r) == nil && r.App != ""
}

// start runs an app unless it already runs; a running app would come to the front.
func (t Tool) start(app string, o order) error {
	app, err := filepath.EvalSymlinks(t.Path(app))
	if err != nil {
		return err
	}
	if r, known := read(t.file(app)); known && !o.fresh && processes.Alive(r.PID, r.Start) {
		return nil
	}
	program, bundle, err := executable(app)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(t.Records, 0o700); err != nil {
		return err
	}
	pid, err := host.StartDetached(program, o.args, o.env, filepath.Join(t.Records, "apps.log"))
	if err != nil {
		return tool.Refuse("The application %s cannot be opened for an unexpected reason, error=%v", app, err)
	}
	start, err := processes.StartTime(pid)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	data, err := json.Marshal(record{App: app, Bundle: bundle, PID: pid, Start: start})
	if err != nil {
		return err
	}
	return wholefile.Write(t.file(app), data)
}

const maxInfo = 8 << 20 // maximum size of an Info.plist and of our records, in bytes

// executable is the program of a macOS app. Apps for other systems are refused.
func executable(app string) (program, bundle string, err error) {
	data, err := regularfile.Read(filepath.Join(app, "Contents", "Info.plist"), maxInfo)
	var info struct {
		Executable string `plist:"CFBundleExecutable"`
		ID         string `plist:"CFBundleIdentifier"`
	}
	if err == nil {
		_, err = plist.Unmarshal(data, &info)
	}
	if err != nil {
		return "", "", tool.Refuse("The application %s cannot be opened because its executable is missing.", app)
	}
	if info.Executable == "" {
		info.Executable = strings.TrimSuffix(filepath.Base(app), ".app")
	}
	program = filepath.Join(app, "Contents", "MacOS", filepath.Base(info.Executable))
	if i, err := os.Stat(program); err != nil || !i.Mode().IsRegular() || i.Mode()&0o111 == 0 {
		return "", "", tool.Refuse("The application %s cannot be opened because its executable is missing.", app)
	}
	return program, info.ID, nil
}

// Marks are the behaviours of open.
func Marks() []mark.Mark {
	return []mark.Mark{
		{Tool: "open", Behaviour: "a macOS app is started as a process of its own, with the arguments after --args; a running app is not " +
			"started again, except with -n", Source: mark.Assumed},
		{Tool: "open", Behaviour: "-a finds apps by folder, or by name after a first open; Simulator and other apps with only " +
			"windows succeed without a window", Source: mark.Assumed},
		{Tool: "open", Behaviour: "on demand -a Simulator opens the Simulator of another Xcode, as https://github.com/Shopify/tophat/pull/151 " +
			"reports; only the path below the developer folder selects one", Source: mark.Assumed},
		{Tool: "open", Behaviour: "on demand Simulator.app is missing, but Applications/DeviceHub.app and URLs " +
			"devices://device/open?id=…, as https://github.com/okwasniewski/MiniSim/pull/155 reports of Xcode 27", Source: mark.Assumed},
		{Tool: "open", Behaviour: "a web URL succeeds without a window, other URLs have no application; -W does not exist",
			Source: mark.Assumed},
	}
}

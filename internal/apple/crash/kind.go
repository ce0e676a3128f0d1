package crash

import (
	"strings"

	"ios-agent/internal/text/lazyregexp"
)

// Kind is the subject of a report.
type Kind string

// The kinds. Usually only the first four concern the developer's own app.
const (
	Crash     Kind = "crash"     // a process ended because of an exception, a signal, or the system's watchdog
	Jetsam    Kind = "jetsam"    // memory was short: the system ended processes
	Hang      Kind = "hang"      // a process did not react
	Resource  Kind = "resource"  // a process used more of the processor, the disk or wake-ups than it may
	Panic     Kind = "panic"     // the whole device
	Stackshot Kind = "stackshot" // all stacks of the device, such as after a forced restart
	Analytics Kind = "analytics" // statistics of the system
)

// bugTypes are the numbers in the first line of an .ips, by what public reports show for them.
var bugTypes = map[string]struct {
	kind  Kind
	about string
}{
	"309": {Crash, "crash"}, "109": {Crash, "crash"}, "409": {Crash, "crash"}, "385": {Crash, "fault of a process that runs on"},
	"298": {Jetsam, "memory was short"},
	"228": {Hang, "hang"},
	"202": {Resource, "used too much processor time"}, "142": {Resource, "woke the processor too often"},
	"145": {Resource, "wrote too much to the disk"},
	"210": {Panic, "kernel panic"},
	"288": {Stackshot, "stacks of all processes"}, "151": {Stackshot, "forced restart"},
	"211": {Analytics, "analytics"}, "226": {Analytics, "statistics of the network"}, "313": {Analytics, "feedback of search"},
	"115": {Analytics, "reset counter"}, "120": {Analytics, "low battery"},
}

// kind derives the kind of a report: from its number, then from its content.
func (r *Report) kind() Kind {
	event := strings.ToLower(r.Event)
	switch {
	case r.Memory != nil:
		return Jetsam
	case r.Form == FormMetricKit && r.BugType != "crash":
		if r.BugType == "hang" {
			return Hang
		}
		return Resource
	case bugTypes[r.BugType].kind != "":
		return bugTypes[r.BugType].kind
	case strings.Contains(event, "hang") || strings.Contains(event, "spin") || strings.Contains(event, "unresponsive"):
		return Hang
	case event != "":
		return Resource
	case r.BugType == "" || r.Exception != (Exception{}):
		return Crash
	}
	return Analytics
}

// About names the kind of report in a few words.
func (r *Report) About() string {
	known := bugTypes[r.BugType].about
	switch {
	case r.Event != "":
		return r.Event
	case known != "":
		return known
	case r.BugType != "" && r.Kind == Analytics:
		return "report of bug type " + r.BugType
	}
	return string(r.Kind)
}

var (
	simulated   = lazyregexp.New(`CoreSimulator\.SimDevice\.([0-9A-Za-z-]+)`)
	deviceOf    = lazyregexp.New(`/(?:CoreSimulator/Devices|XCTestDevices)/([0-9A-F-]{36})/`)
	systemPaths = lazyregexp.New(`^/(?:System|usr/lib|usr/libexec|usr/bin|private/preboot|Library/Apple)/` +
		`|/RuntimeRoot/|\.simruntime/|/Contents/Developer/|/iPhoneSimulator\.sdk/`)
	ownPaths = lazyregexp.New(`\.(?:app|appex|xctest)/|^/Users/|^(?:/private)?/var/(?:containers|mobile)/|/DerivedData/`)
	ofSystem = lazyregexp.New(`^(?:lib.*\.dylib|dyld|dyld_sim|UIKit|UIKitCore|SwiftUI|SwiftUICore|CoreFoundation|Foundation|CFNetwork` +
		`|GraphicsServices|QuartzCore|CoreGraphics|CoreData|Combine|AttributeGraph|FrontBoardServices|BackBoardServices|\?+)$`)
)

// simulator is the udid of the simulator that the process ran on; empty on a device, or if unknown.
func (r *Report) simulator() string {
	if m := simulated.FindStringSubmatch(r.Simulator); m != nil {
		return m[1]
	}
	if m := deviceOf.FindStringSubmatch(r.Path); m != nil {
		return m[1]
	}
	for _, i := range r.Images {
		if m := deviceOf.FindStringSubmatch(i.Path); m != nil {
			return m[1]
		}
	}
	return ""
}

// markOwn marks the frames in the app's own code. Swift libraries inside an app belong to the system.
func (r *Report) markOwn() {
	own := map[string]bool{}
	for _, i := range r.Images {
		own[i.Name] = own[i.Name] || r.owns(i)
	}
	for _, all := range [][]Thread{r.Threads, r.Backtraces} {
		for _, t := range all {
			for j := range t.Frames {
				f := &t.Frames[j]
				f.Own = own[f.Image] || f.Image != "" && f.Image == r.App || len(r.Images) == 0 && r.owns(Image{Name: f.Image})
			}
		}
	}
}

func (r *Report) owns(i Image) bool {
	switch {
	case i.Name == "" || strings.HasPrefix(i.Name, "libswift"):
		return false
	case i.Name == r.App || i.Name == r.BundleID || i.Path != "" && i.Path == r.Path:
		return true
	case i.Path == "":
		return !ofSystem.MatchString(i.Name)
	}
	return !systemPaths.MatchString(i.Path) && ownPaths.MatchString(i.Path)
}

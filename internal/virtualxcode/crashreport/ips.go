package crashreport

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/virtualxcode/applejson"
	"ios-agent/internal/virtualxcode/uuid"
)

// The Mac the virtual simulators run on. assumed.
const (
	macName  = "macOS 15.5"
	macBuild = "24F74"
	macModel = "Mac15,6"
)

// ipsHeader is the first line of a report.
// observed: crash/tuist-xctest.ips, keys and their order.
type ipsHeader struct {
	AppName    string `json:"app_name"`
	Timestamp  string `json:"timestamp"`
	AppVersion string `json:"app_version"`
	SliceUUID  string `json:"slice_uuid"`
	Build      string `json:"build_version"`
	Platform   int    `json:"platform"` // 7 is an iOS simulator
	BundleID   string `json:"bundleID"`
	Share      int    `json:"share_with_app_devs"`
	FirstParty int    `json:"is_first_party"`
	BugType    string `json:"bug_type"`
	OSVersion  string `json:"os_version"`
	Roots      int    `json:"roots_installed"`
	Name       string `json:"name"`
	Incident   string `json:"incident_id"`
}

// ipsBody is the second part of a report. observed: crash/memoryleaking.ips, keys and their order; keys that only newer reports have
// are omitted.
type ipsBody struct {
	Uptime       int                 `json:"uptime"`
	Role         string              `json:"procRole"`
	Version      int                 `json:"version"`
	User         int                 `json:"userID"`
	Deploy       int                 `json:"deployVersion"`
	Model        string              `json:"modelCode"`
	Coalition    int                 `json:"coalitionID"`
	OS           ipsOS               `json:"osVersion"`
	Captured     string              `json:"captureTime"`
	CodeMonitor  int                 `json:"codeSigningMonitor"`
	Incident     string              `json:"incident"`
	PID          int                 `json:"pid"`
	Translated   bool                `json:"translated"`
	CPU          string              `json:"cpuType"`
	Roots        int                 `json:"roots_installed"`
	BugType      string              `json:"bug_type"`
	Launched     string              `json:"procLaunch"`
	Started      int64               `json:"procStartAbsTime"`
	Exited       int64               `json:"procExitAbsTime"`
	Process      string              `json:"procName"`
	Path         string              `json:"procPath"`
	Bundle       ipsBundle           `json:"bundleInfo"`
	Store        ipsStore            `json:"storeInfo"`
	Parent       string              `json:"parentProc"`
	ParentPID    int                 `json:"parentPid"`
	CoalitionOf  string              `json:"coalitionName"`
	Reporter     string              `json:"crashReporterKey"`
	Responsible  int                 `json:"responsiblePid"`
	ResponsibleP string              `json:"responsibleProc"`
	SIP          string              `json:"sip"`
	Corpse       int                 `json:"isCorpse,omitempty"`
	Exception    ipsException        `json:"exception"`
	Termination  *ipsTermination     `json:"termination,omitempty"`
	Hints        map[string][]string `json:"asi,omitempty"`
	Thrown       []ipsFrame          `json:"lastExceptionBacktrace,omitempty"`
	Fault        ipsFault            `json:"os_fault"`
	Mods         ipsMods             `json:"extMods"`
	Faulting     int                 `json:"faultingThread"`
	Threads      []ipsThread         `json:"threads"`
	Images       []ipsImage          `json:"usedImages"`
	Cache        ipsCache            `json:"sharedCache"`
	Memory       string              `json:"vmSummary"`
	Legacy       ipsLegacy           `json:"legacyInfo"`
	Trial        ipsTrial            `json:"trialInfo"`
}

type ipsOS struct {
	Train   string `json:"train"`
	Build   string `json:"build"`
	Release string `json:"releaseType"`
}

type ipsBundle struct {
	Version string `json:"CFBundleShortVersionString"`
	Build   string `json:"CFBundleVersion"`
	ID      string `json:"CFBundleIdentifier"`
}

type ipsStore struct {
	Vendor     string `json:"deviceIdentifierForVendor"`
	ThirdParty bool   `json:"thirdParty"`
}

type ipsException struct {
	Codes   string   `json:"codes"`
	Raw     []uint64 `json:"rawCodes"`
	Type    string   `json:"type"`
	Signal  string   `json:"signal"`
	Subtype string   `json:"subtype,omitempty"`
}

type ipsTermination struct {
	Flags     int      `json:"flags"`
	Code      int      `json:"code"`
	Namespace string   `json:"namespace"`
	Indicator string   `json:"indicator"`
	Details   []string `json:"details,omitempty"`
	By        string   `json:"byProc"`
	ByPID     int      `json:"byPid"`
}

type ipsFault struct {
	Process string `json:"process"`
}

type ipsMods struct {
	Caller   ipsModCount `json:"caller"`
	System   ipsModCount `json:"system"`
	Targeted ipsModCount `json:"targeted"`
	Warnings int         `json:"warnings"`
}

type ipsModCount struct {
	Create int `json:"thread_create"`
	Set    int `json:"thread_set_state"`
	Task   int `json:"task_for_pid"`
}

type ipsThread struct {
	Triggered bool       `json:"triggered,omitempty"`
	ID        int        `json:"id"`
	Name      string     `json:"name,omitempty"`
	Queue     string     `json:"queue,omitempty"`
	State     *ipsState  `json:"threadState,omitempty"`
	Frames    []ipsFrame `json:"frames"`
}

type ipsState struct {
	X      []ipsValue `json:"x"`
	Flavor string     `json:"flavor"`
	LR     ipsValue   `json:"lr"`
	CPSR   ipsValue   `json:"cpsr"`
	FP     ipsValue   `json:"fp"`
	SP     ipsValue   `json:"sp"`
	ESR    ipsValue   `json:"esr"`
	PC     ipsValue   `json:"pc"`
	FAR    ipsValue   `json:"far"`
}

type ipsValue struct {
	Value       uint64 `json:"value"`
	Matches     int    `json:"matchesCrashFrame,omitempty"`
	Description string `json:"description,omitempty"`
}

type ipsFrame struct {
	Offset     uint64 `json:"imageOffset"`
	SourceLine int    `json:"sourceLine,omitempty"`
	SourceFile string `json:"sourceFile,omitempty"`
	Symbol     string `json:"symbol,omitempty"`
	Image      int    `json:"imageIndex"`
	Location   uint64 `json:"symbolLocation"`
}

type ipsImage struct {
	Source  string `json:"source"`
	Arch    string `json:"arch"`
	Base    uint64 `json:"base"`
	Version string `json:"CFBundleShortVersionString,omitempty"`
	ID      string `json:"CFBundleIdentifier,omitempty"`
	Size    uint64 `json:"size"`
	UUID    string `json:"uuid"`
	Path    string `json:"path"`
	Name    string `json:"name"`
	Build   string `json:"CFBundleVersion,omitempty"`
}

type ipsCache struct {
	Base uint64 `json:"base"`
	Size uint64 `json:"size"`
	UUID string `json:"uuid"`
}

type ipsLegacy struct {
	Triggered struct {
		Queue string `json:"queue"`
	} `json:"threadTriggered"`
}

type ipsTrial struct {
	Rollouts    []string `json:"rollouts"`
	Experiments []string `json:"experiments"`
}

// Text returns the report of a crash on d: the header on one line, then the body with one entry per line.
func (c Crash) Text(d Device) ([]byte, error) {
	h, b := c.ips(d)
	var out bytes.Buffer
	line, err := applejson.Marshal(h)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(&out, "%s\n{\n", line)
	whole, err := applejson.Marshal(b)
	if err != nil {
		return nil, err
	}
	entries := json.NewDecoder(strings.NewReader(whole))
	if _, err := entries.Token(); err != nil {
		return nil, err
	}
	for n := 0; entries.More(); n++ {
		key, err := entries.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := entries.Decode(&value); err != nil {
			return nil, err
		}
		if n > 0 {
			out.WriteString(",\n")
		}
		fmt.Fprintf(&out, "  %q : %s", key, value)
	}
	out.WriteString("\n}\n")
	return out.Bytes(), nil
}

// ips builds the header and the body of a report.
func (c Crash) ips(d Device) (ipsHeader, ipsBody) {
	k, b, incident := kinds()[c.Kind], d.App, c.Incident(d.UDID)
	images := loaded(d)
	at := func(t time.Time) string { return t.Format("2006-01-02 15:04:05.0000 -0700") }
	boot := cmp.Or(d.Booted, c.Started)
	ticks := func(t time.Time) int64 { return t.Sub(boot).Nanoseconds()*24/1000 + 1e12 } // 24 MHz, from an arbitrary start
	h := ipsHeader{AppName: c.Name, Timestamp: c.At.Format("2006-01-02 15:04:05.00 -0700"), AppVersion: b.Version,
		SliceUUID: images[slices.IndexFunc(images, isApp)].UUID, Build: b.Build, Platform: 7, BundleID: b.ID, Share: 1,
		BugType: "309", OSVersion: fmt.Sprintf("%s (%s)", macName, macBuild), Name: c.Name, Incident: incident}
	frames := traced(images, stackOf(k, c), c)
	body := ipsBody{Uptime: int(c.At.Sub(boot).Seconds()) + 3600, Role: role(c.Front), Version: 2, User: 501, Deploy: 210, Model: macModel,
		Coalition: 1000 + d.Number, OS: ipsOS{macName, macBuild, "User"}, Captured: at(c.At), CodeMonitor: 2,
		Incident: incident, PID: c.PID,
		CPU: "ARM-64", BugType: "309", Launched: at(c.Started), Started: ticks(c.Started), Exited: ticks(c.At), Process: c.Name,
		Path:   d.Executable,
		Bundle: ipsBundle{b.Version, b.Build, b.ID}, Store: ipsStore{uuid.Of("vendor", d.UDID, b.ID), true}, Parent: "launchd_sim",
		ParentPID:   d.Launchd,
		CoalitionOf: "com.apple.CoreSimulator.SimDevice." + d.UDID, Reporter: uuid.Of("reporter"), Responsible: 606,
		ResponsibleP: "SimulatorTrampoline",
		SIP:          "enabled", Exception: k.raised(images, frames), Termination: k.terminated(c), Hints: k.hints(c),
		Fault:   ipsFault{c.Name},
		Threads: threads(images, frames, c), Images: images, Cache: ipsCache{6442450944, 4230184960,
			strings.ToLower(uuid.Of("cache", d.Runtime))},
		Memory: memory, Trial: ipsTrial{[]string{}, []string{}}}
	if k.exception == "EXC_CRASH" {
		body.Corpse = 1
	}
	if d.Physical {
		// observed: crash/macsymbolicator-ios.ips
		body.Parent, body.ParentPID, body.CoalitionOf = "launchd", 1, b.ID
		h.Platform, body.Responsible, body.ResponsibleP = 2, 0, ""
	}
	if k.throw != nil {
		body.Thrown = traced(images, slices.Concat(k.throw, ours(c), callers()), c)
	}
	body.Legacy.Triggered.Queue = mainQueue
	return h, body
}

const (
	mainQueue = "com.apple.main-thread"
	memory    = "ReadOnly portion of Libraries: Total=1.4G resident=0K(0%) swapped_out_or_unallocated=1.4G(100%)\n" +
		"Writable regions: Total=1.3G written=0K(0%) resident=0K(0%) swapped_out=0K(0%) unallocated=1.3G(100%)\n"
)

func role(front bool) string {
	if front {
		return "Foreground"
	}
	return "Background"
}

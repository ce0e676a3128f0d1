// Package kinds is the table of the readers of Apple's outputs. All returns one parse.Kind for each reader, for the operation parse. It
// must list every reader below internal/apple that recognizes its own output.
package kinds

import (
	"strings"

	"ios-agent/internal/apple/buildlog"
	"ios-agent/internal/apple/crash"
	"ios-agent/internal/apple/destinations"
	"ios-agent/internal/apple/devicectl"
	"ios-agent/internal/apple/oslog"
	"ios-agent/internal/apple/schemes"
	"ios-agent/internal/apple/sdks"
	"ios-agent/internal/apple/settings"
	"ios-agent/internal/apple/simctl"
	"ios-agent/internal/apple/toolerror"
	"ios-agent/internal/apple/xcresult"
	"ios-agent/internal/fault"
	"ios-agent/internal/text/brief"
	"ios-agent/internal/text/oneline"
	"ios-agent/internal/text/parse"
)

// All are the readers of the outputs of Apple's tools. If two readers are equally sure, the earlier one wins: tool-error comes last,
// because its words occur in the other outputs too.
func All() parse.Kinds {
	return parse.Kinds{
		kind("build-log", "what xcodebuild or swift print while they build and test", buildlog.Sniff, buildlog.Read),
		kind("xcresult", "an answer of xcresulttool or xccov about a result bundle", xcresult.Sniff, xcresult.Read),
		kind("build-settings", "xcodebuild -showBuildSettings", settings.Sniff, settings.Read),
		kind("schemes", "xcodebuild -list", schemes.Sniff, schemes.Read),
		kind("sdks", "xcodebuild -showsdks and -version -sdk", sdks.Sniff, sdks.Read),
		kind("destinations", "xcodebuild -showdestinations", destinations.Sniff, destinations.Read),
		kind("devicectl", "devicectl's table, progress and JSON", devicectl.Sniff, devicectl.Read),
		kind("simctl", "simctl list, listapps and runtime match", simctl.Sniff, simctl.Read),
		kind("crash", "a crash report: .ips, .crash or MetricKit", crash.Sniff, crash.Read),
		kind("oslog", "log show, log stream, and the system logs of simulators and devices", oslog.Sniff, oslog.Read),
		kind("tool-error", "what one of Apple's tools prints when it refuses", toolerror.Sniff, toolerror.Read),
	}
}

// summary is the result of every reader: the whole data, and a text of limited size.
type summary interface{ Text(limit int) string }

// reading turns a reader's result into a parse.Result, whose text is limited in lines.
type reading struct{ summary }

// bytesALine is the average length of a line of text; unlimited is a limit that no text reaches.
const (
	bytesALine = 120
	unlimited  = 1 << 30
)

// Text is the summary, cut to about the given number of lines.
func (r reading) Text(lines int) string {
	if lines <= 0 {
		return r.text(unlimited)
	}
	text := r.text(lines * bytesALine)
	all := strings.Split(text, "\n")
	if len(all) <= lines {
		return text
	}
	return strings.Join(all[:lines], "\n") + "\n… " + brief.Count(len(all)-lines, "line") + " more; --lines 0 shows all"
}

// text is for foreign text: every text stays on its line.
func (r reading) text(limit int) string {
	return oneline.Draw(r.summary, func(s summary) string { return s.Text(limit) })
}

// Value is the whole data.
func (r reading) Value() any { return r.summary }

func kind[T summary](name, about string, sniff func([]byte) int, read func([]byte) (T, error)) parse.Kind {
	return parse.Kind{Name: name, Summary: about, Sniff: sniff, Read: func(b []byte) (parse.Result, error) {
		v, err := read(b)
		if err != nil {
			return nil, fault.New(fault.ParseFailed, "%w", err)
		}
		return reading{v}, nil
	}}
}

package telemetry

// Source is where an entry comes from: the words that quern has for it, and one for consoles.
type Source string

// The sources.
const (
	Simulator Source = "simulator" // simctl spawn … log stream
	Device    Source = "device"    // the log of a physical device
	Console   Source = "console"   // what a launched app prints: print(), NSLog, stderr
	OSLog     Source = "oslog"     // log stream of this Mac
	Crash     Source = "crash"
	Build     Source = "build"
	Server    Source = "server" // the daemon's own log
	Proxy     Source = "proxy"
)

// speaker is what a source's entries come from.
type speaker int

const (
	apps    speaker = iota // what apps and devices log and print
	reports                // crash reports of apps
	host                   // programs of this machine: no device has them
)

// sources is the table of sources. A new source is a constant and a row.
var sources = []struct {
	source Source
	of     speaker
}{
	{Simulator, apps}, {Device, apps}, {Console, apps}, {OSLog, apps}, {Crash, reports}, {Build, host}, {Server, host}, {Proxy, host},
}

// Sources lists all sources.
func Sources() []Source { return those(func(speaker) bool { return true }) }

// AppSources lists the sources of what apps and devices log and print. A crash is told by the step it happened in, a build by the build.
func AppSources() []Source { return those(func(of speaker) bool { return of == apps }) }

func those(fit func(speaker) bool) (all []Source) {
	for _, row := range sources {
		if fit(row.of) {
			all = append(all, row.source)
		}
	}
	return all
}

// Choices are the names of the sources, for an input that is one of them.
func (Source) Choices() (names []string) {
	for _, s := range Sources() {
		names = append(names, string(s))
	}
	return names
}

// OfApps reports whether the source tells what apps and devices log and print.
func (s Source) OfApps() bool { return s.has(apps) }

// OfHost reports whether the entries of the source come from programs of this machine, and so from no device.
func (s Source) OfHost() bool { return s.has(host) }

func (s Source) has(of speaker) bool {
	for _, row := range sources {
		if row.source == s {
			return row.of == of
		}
	}
	return false
}

package telemetry

// Source is the origin of an entry, in quern's words, with an additional one for consoles.
type Source string

// The sources.
const (
	Simulator Source = "simulator" // simctl spawn … log stream
	Device    Source = "device"    // the log of a physical device
	Console   Source = "console"   // output of a launched app: print(), NSLog, stderr
	OSLog     Source = "oslog"     // log stream of this Mac
	Crash     Source = "crash"
	Build     Source = "build"
	Server    Source = "server" // the daemon's own log
	Proxy     Source = "proxy"
)

// speaker is the kind of programs behind a source.
type speaker int

const (
	apps    speaker = iota // logs and output of apps and devices
	reports                // crash reports of apps
	host                   // programs of this machine, without a device
)

// sources is the table of sources. A new source needs a constant and a row.
var sources = []struct {
	source Source
	of     speaker
}{
	{Simulator, apps}, {Device, apps}, {Console, apps}, {OSLog, apps}, {Crash, reports}, {Build, host}, {Server, host}, {Proxy, host},
}

// Sources lists all sources.
func Sources() []Source { return those(func(speaker) bool { return true }) }

// AppSources lists the sources with logs and output of apps and devices. A crash is reported by its step instead, and a build by the
// build.
func AppSources() []Source { return those(func(of speaker) bool { return of == apps }) }

func those(fit func(speaker) bool) (all []Source) {
	for _, row := range sources {
		if fit(row.of) {
			all = append(all, row.source)
		}
	}
	return all
}

// Choices are the names of the sources, for an input.
func (Source) Choices() (names []string) {
	for _, s := range Sources() {
		names = append(names, string(s))
	}
	return names
}

// OfApps reports whether the source has logs and output of apps and devices.
func (s Source) OfApps() bool { return s.has(apps) }

// OfHost reports whether the entries of the source come from programs of this machine and have no device.
func (s Source) OfHost() bool { return s.has(host) }

func (s Source) has(of speaker) bool {
	for _, row := range sources {
		if row.source == s {
			return row.of == of
		}
	}
	return false
}

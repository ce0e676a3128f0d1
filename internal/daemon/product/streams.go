package product

import (
	"path/filepath"

	"ios-agent/internal/apple"
	"ios-agent/internal/machine/processes"
	"ios-agent/internal/telemetry"
	"ios-agent/internal/telemetry/streams"
)

// openStreams makes what follows logs and consoles, and tidies up after earlier daemons.
func openStreams(o Options, said *telemetry.Store) *streams.Manager {
	how := streams.Options{Store: said, Dir: filepath.Join(o.Home.String(), "consoles"), Now: o.Now, Log: o.Log}
	if o.Tools.Name != apple.Virtual { // apps of simulators are processes of this Mac; apps of virtual devices are not
		how.Gone = func(pid int) bool { return pid > 0 && !processes.Alive(pid, "") }
	}
	m := streams.New(how)
	m.Tidy()
	return m
}

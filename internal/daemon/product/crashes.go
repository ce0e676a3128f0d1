package product

import (
	"path/filepath"

	"ios-agent/internal/apple"
	"ios-agent/internal/apple/atos"
	crashops "ios-agent/internal/ops/crashes"
	"ios-agent/internal/telemetry"
	"ios-agent/internal/telemetry/crashes"
)

// openCrashes watches the folders where crash reports appear. Virtual apps have no machine code, and so no symbols to look for.
func openCrashes(o Options, said *telemetry.Store) crashops.Services {
	home := o.Home.String()
	out := crashops.Services{
		Drop: filepath.Join(home, "crashes"),
		Hook: &crashes.Hook{File: filepath.Join(home, "crash-hook.json"), Dir: home, Run: o.Host},
	}
	out.Watch = crashes.New(crashes.Options{
		Folders: []string{o.Tools.Reports}, Drop: out.Drop, Store: said, Hook: out.Hook, Log: o.Log,
	})
	if o.Tools.Name != apple.Virtual {
		out.Symbols = &crashes.Symbols{Atos: atos.Tool{Run: o.Host, Xcrun: o.Tools.Tool("xcrun")}, Builds: filepath.Join(home, "builds")}
	}
	return out
}

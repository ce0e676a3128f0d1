package ops

import (
	"path/filepath"

	"ios-agent/internal/device/logcap"
	"ios-agent/internal/op"
)

// xcode is the family of XcodeBuildMCP's names and shapes: `mcp --tools xcode` serves it alone.
const xcode = "xcode"

// xcodeViews are the tools under those names. What a session default can supply may be left out of a call.
func xcodeViews(p Parts, s *simulators, b *builder, hands *touch) []op.Op {
	handhelds := &handhelds{s.defaults, p}
	dir := filepath.Join(p.Home, "logs")
	s.logs = &logs{s, handhelds, s.defaults, logcap.New(logcap.Options{Dir: dir, Now: p.Now}), dir}
	var all []op.Op
	all = append(all, s.ops()...)
	all = append(all, s.logs.ops()...)
	all = append(all, handhelds.ops()...)
	all = append(all, (&macApps{p}).ops()...)
	all = append(all, (&swiftPackages{p, &background{live: map[int]*backgroundRun{}}}).ops()...)
	all = append(all, scaffolds{}.ops()...)
	all = append(all, b.ops()...)
	all = append(all, (&uiTools{s, s.screen, hands}).ops()...)
	all = append(all, (&system{p}).xcodeDoctor(func() []op.Op { return all }))
	all = append(all, (&discovery{family: func() []op.Op { return all }, found: map[string][]string{}}).op())
	return all
}

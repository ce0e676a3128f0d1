package builder

import (
	"fmt"
	"time"

	"ios-agent/internal/apple/buildlog"
	"ios-agent/internal/text/brief"
)

// Progress is a report to a waiting caller.
type Progress struct {
	Message     string
	Done, Total float64 // Total 0: unknown
}

// reporter turns events of the log into progress, and limits the rate.
type reporter struct {
	watch func(Progress)
	now   func() time.Time

	said         time.Time
	stage        buildlog.Stage
	tests, fails int
	fresh        bool // there is unreported progress
}

// between is the shortest time between two reports of the same stage.
const between = 300 * time.Millisecond

func (t *reporter) report(p Progress) {
	if t.watch != nil {
		t.watch(p)
	}
}

// waiting reports the number of builds before this one.
func (t *reporter) waiting(n int) {
	t.report(Progress{Message: fmt.Sprintf("waiting: %s of this project first", brief.Count(n, "build"))})
}

// words are the names of phases in reports.
var words = map[Action]string{
	Build: "building", BuildForTesting: "building for testing", TestPrepared: "starting the tests", Clean: "cleaning",
}

func (t *reporter) phase(a Action) { t.report(Progress{Message: words[a]}) }

// event counts ended tests.
func (t *reporter) event(x buildlog.Test) {
	t.tests++
	if x.Status == buildlog.Failed || x.Status == buildlog.Crashed {
		t.fails++
	}
	t.fresh = true
}

// progress is called for every line. It reports a changed stage at once, and other news after some time.
func (t *reporter) progress(p buildlog.Progress) {
	if t.watch == nil {
		return
	}
	changed := p.Stage != t.stage
	if !changed && !t.fresh && p.Stage != buildlog.Compiling {
		return
	}
	now := t.now()
	if !changed && now.Sub(t.said) < between {
		return
	}
	t.stage, t.said, t.fresh = p.Stage, now, false
	t.report(t.describe(p))
}

func (t *reporter) describe(p buildlog.Progress) Progress {
	out := Progress{Message: p.Stage.String()}
	switch {
	case p.Stage == buildlog.RunningTests || t.tests > 0:
		out.Message = fmt.Sprintf("running tests: %d done, %d failed", t.tests, t.fails)
		out.Done = float64(t.tests)
	case p.Compiled > 0:
		out.Message += ": " + brief.Count(p.Compiled, "file")
		if p.Target != "" {
			out.Message += ", " + p.Target
		}
		out.Done = float64(p.Compiled)
	}
	return out
}

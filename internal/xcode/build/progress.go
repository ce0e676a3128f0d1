package build

import (
	"fmt"
	"time"

	"ios-agent/internal/apple/buildlog"
	"ios-agent/internal/op/brief"
)

// Progress is what a caller hears while it waits.
type Progress struct {
	Message     string
	Done, Total float64 // Total 0: nobody knows
}

// teller turns what the log says into progress, not more often than anybody can read.
type teller struct {
	hear func(Progress)
	now  func() time.Time

	said         time.Time
	stage        buildlog.Stage
	tests, fails int
	fresh        bool // something was not told yet
}

// between is the shortest time between two reports of the same stage.
const between = 300 * time.Millisecond

func (t *teller) say(p Progress) {
	if t.hear != nil {
		t.hear(p)
	}
}

// waiting tells how many builds are before this one.
func (t *teller) waiting(n int) {
	t.say(Progress{Message: fmt.Sprintf("waiting: %s of this project first", brief.Count(n, "build"))})
}

// words are what phases are called.
var words = map[Action]string{
	Build: "building", BuildForTesting: "building for testing", TestPrepared: "starting the tests", Clean: "cleaning",
}

func (t *teller) phase(a Action) { t.say(Progress{Message: words[a]}) }

// event hears of every test that ended.
func (t *teller) event(e buildlog.Event) {
	if e.Test == nil {
		return
	}
	t.tests++
	if e.Test.Status == buildlog.Failed || e.Test.Status == buildlog.Crashed {
		t.fails++
	}
	t.fresh = true
}

// progress is called for every line; it speaks when the stage changed or there is news and a while has passed.
func (t *teller) progress(p buildlog.Progress) {
	if t.hear == nil {
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
	t.say(t.describe(p))
}

func (t *teller) describe(p buildlog.Progress) Progress {
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

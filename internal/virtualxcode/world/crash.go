package world

import (
	"cmp"
	"maps"
	"time"

	"ios-agent/internal/virtualxcode/crashreport"
)

// Line is something an app printed or logged.
type Line struct {
	At        time.Time
	Level     string // as in the app's definition; "print" is its standard output
	Subsystem string // empty: the bundle id
	Category  string // empty: app
	Message   string
}

// levels are the unified log's names for the levels of a definition.
var levels = map[string]Level{"debug": LevelDebug, "info": LevelInfo, "default": LevelDefault, "error": LevelError, "fault": LevelFault}

// settle takes the lines that p printed and logged, ends p if it crashed or left, and opens what it wants opened.
func (d *device) settle(p *process, now time.Time) {
	lines := p.Lines
	p.Lines = nil
	for _, l := range lines {
		d.say(p, l)
	}
	opens := p.Opens
	p.Opens = nil
	switch {
	case p.Fatal != nil:
		d.crashed(*p.Fatal)
	case p.Left:
		d.end(p.Bundle)
	}
	if d.opening {
		return // apps that open each other would never end
	}
	d.opening = true
	for _, address := range opens {
		_ = d.open(address, now) // an app that asks for what nobody opens is told so, and goes on
	}
	d.opening = false
}

// say puts a line where an app's lines go.
func (d *device) say(p *process, l Line) {
	level, logged := levels[l.Level]
	if !logged {
		// An output file that cannot be written fails neither the app nor the caller that touched the screen.
		_ = d.print(p.Bundle, l.Message+"\n", false)
		return
	}
	d.log(Entry{Time: l.At, Level: level, Process: p.bundle.Executable, PID: p.PID, Subsystem: cmp.Or(l.Subsystem, p.Bundle),
		Category: cmp.Or(l.Category, "app"), Message: l.Message})
}

// crashed ends an app that crashed, and leaves its crash to report.
func (d *device) crashed(c crashreport.Crash) {
	if said := c.Said(); said != "" {
		_ = d.print(c.Bundle, said+"\n", true) // see say
		d.log(Entry{Time: c.At, Level: LevelFault, Process: c.Name, PID: c.PID, Subsystem: c.Bundle, Category: "crash", Message: said})
	}
	d.unreported = append(d.unreported, c)
	d.end(c.Bundle)
}

// follow opens a URL in the first app that has a link for it, and reports which that is.
func (d *device) follow(address string, now time.Time) (bundle string, found bool) {
	for _, i := range d.Apps {
		for _, l := range i.bundle.App.Links {
			values, matches := l.Match(address)
			if !matches {
				continue
			}
			if _, err := d.launch(i.bundle.ID, LaunchOptions{}); err != nil {
				return "", false
			}
			d.advance(now)
			if p := d.process(i.bundle.ID); p != nil {
				maps.Copy(p.Values, values)
				p.use(l.Do, now)
				d.settle(p, now)
			}
			return i.bundle.ID, true
		}
	}
	return "", false
}

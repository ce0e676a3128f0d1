package world

import (
	"cmp"
	"maps"
	"time"

	"ios-agent/internal/virtualxcode/crashreport"
)

// Line is a line that an app printed or logged.
type Line struct {
	At        time.Time
	Level     string // a level of the app's definition; "print" is standard output
	Subsystem string // empty: the bundle id
	Category  string // empty: app
	Message   string
}

// levels map an app definition's level to a level of the unified log.
var levels = map[string]Level{"debug": LevelDebug, "info": LevelInfo, "default": LevelDefault, "error": LevelError, "fault": LevelFault}

// settle processes the new lines of p, ends p if it crashed or exited, and opens its pending URLs.
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
		return // limit, because apps may open each other in a circle
	}
	d.opening = true
	for _, address := range opens {
		_ = d.open(address, now) // without an app for the URL the app gets a log entry and continues
	}
	d.opening = false
}

// say writes a line to an app's log or output.
func (d *device) say(p *process, l Line) {
	level, logged := levels[l.Level]
	if !logged {
		// A failure to write an output file affects neither the app nor the caller that touched the screen.
		_ = d.print(p.Bundle, l.Message+"\n", false)
		return
	}
	d.log(Entry{Time: l.At, Level: level, Process: p.bundle.Executable, PID: p.PID, Subsystem: cmp.Or(l.Subsystem, p.Bundle),
		Category: cmp.Or(l.Category, "app"), Message: l.Message})
}

// crashed ends a crashed app, and queues its crash for a report.
func (d *device) crashed(c crashreport.Crash) {
	if said := c.Said(); said != "" {
		_ = d.print(c.Bundle, said+"\n", true) // see say
		d.log(Entry{Time: c.At, Level: LevelFault, Process: c.Name, PID: c.PID, Subsystem: c.Bundle, Category: "crash", Message: said})
	}
	d.unreported = append(d.unreported, c)
	d.end(c.Bundle)
}

// follow opens a URL in the first app with a link for it, and returns that app.
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

package simctl

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"ios-agent/internal/virtualxcode/world"
)

func logOptions() map[string]option {
	return map[string]option{
		"--style": valued, "--predicate": valued, "--level": valued, "--process": valued, "--type": valued, "--timeout": valued,
		"--color": valued, "--last": valued, "--start": valued, "--end": valued, "--source": flag, "--no-source": flag,
		"--info": flag, "--debug": flag, "--no-info": flag, "--no-debug": flag, "--no-pager": flag,
	}
}

// logReader is what to show of a log, and how.
type logReader struct {
	predicate   predicate
	levels      []world.Level
	style       logStyle
	device      world.Device
	text        string // of the predicate
	first, last time.Time
	timeout     time.Duration // of a stream; zero is none
}

func (c *call) logReader(d world.Device) (r logReader, err error) {
	given, err := c.options(logOptions())
	if err != nil || len(c.Args) > 0 {
		return r, c.logUsage("log: Unknown option or argument")
	}
	has := func(name string) bool { _, ok := given[name]; return ok }
	r = logReader{device: d, text: given["--predicate"], predicate: anyEntry, levels: levelsFrom(given["--level"], has("--info"),
		has("--debug"))}
	if r.levels == nil {
		return r, c.logUsage("log: Invalid level '" + given["--level"] + "'")
	}
	var known bool
	if r.style, known = logStyles()[given["--style"]]; !known {
		return r, c.logUsage("log: Invalid style '" + given["--style"] + "'")
	}
	if has("--predicate") {
		if r.predicate, err = parsePredicate(r.text); err != nil {
			return r, c.logUsage(fmt.Sprintf("log: Bad predicate (%s): %v", r.text, err))
		}
	}
	r.ofProcess(given["--process"])
	return r, c.period(&r, given)
}

// ofProcess narrows to a process given by name or pid.
func (r *logReader) ofProcess(name string) {
	inner := r.predicate
	if name != "" {
		r.predicate = func(e entry) bool { return (e.Process == name || strconv.Itoa(e.PID) == name) && inner(e) }
	}
}

// levelsFrom are the levels that are shown: info and debug only when they are asked for. It is nil for an unknown level.
func levelsFrom(level string, info, debug bool) []world.Level {
	all := []world.Level{world.LevelDefault, world.LevelError, world.LevelFault}
	if !slices.Contains([]string{"", "default", "info", "debug"}, strings.ToLower(level)) {
		return nil
	}
	level = strings.ToLower(level)
	if info || debug || level == "info" || level == "debug" {
		all = append(all, world.LevelInfo)
	}
	if debug || level == "debug" {
		all = append(all, world.LevelDebug)
	}
	return all
}

// period reads --last, --start, --end and --timeout.
func (c *call) period(r *logReader, given map[string]string) error {
	if last := given["--last"]; last != "" && last != "boot" {
		ago, ok := span(last)
		if !ok {
			return c.logUsage("log: Invalid time '" + last + "'")
		}
		r.first = c.world.Now().Add(-ago)
	} else if last == "boot" {
		r.first = r.device.LastBootedAt
	}
	if text := given["--timeout"]; text != "" {
		var ok bool
		if r.timeout, ok = span(text); !ok {
			return c.logUsage("log: Invalid time '" + text + "'")
		}
	}
	for name, at := range map[string]*time.Time{"--start": &r.first, "--end": &r.last} {
		text := given[name]
		if text == "" {
			continue
		}
		var err error
		if *at, err = parseTime(text); err != nil {
			return c.logUsage("log: Invalid time '" + text + "'")
		}
	}
	return nil
}

// span reads a time such as 5m.
func span(text string) (time.Duration, bool) {
	units := map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour}
	n, err := strconv.Atoi(text[:len(text)-1])
	unit := units[text[len(text)-1:]]
	return time.Duration(n) * unit, err == nil && unit != 0
}

func parseTime(text string) (t time.Time, err error) {
	for _, layout := range []string{"2006-01-02 15:04:05-0700", "2006-01-02 15:04:05", "2006-01-02"} {
		if t, err = time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	return t, err
}

func (r logReader) wants(e world.Entry) bool {
	inTime := !e.Time.Before(r.first) && (r.last.IsZero() || !e.Time.After(r.last))
	return inTime && slices.Contains(r.levels, e.Level) && r.predicate(entry{e, r.device})
}

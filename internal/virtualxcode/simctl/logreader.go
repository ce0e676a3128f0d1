package simctl

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"ios-agent/internal/virtualxcode/world"
)

// logVerb declares the options of one of log's verbs.
type logVerb struct {
	name, usage string
	options     map[string]option
}

// showsLog and streamsLog are the verbs. Their options differ: only stream has a level, and only show has a period.
func showsLog() logVerb {
	return logVerb{"show", "usage: log show [options] <archive>\n   or: log show [options]", map[string]option{
		"--style": valued, "--predicate": valued, "--process": valued, "--color": valued, "--last": valued, "--start": valued, "--end": valued,
		"--timezone": valued, "--source": flag, "--info": flag, "--no-info": flag, "--debug": flag, "--no-debug": flag, "--pager": flag,
		"--no-pager": flag, "--backtrace": flag, "--no-backtrace": flag, "--loss": flag, "--no-loss": flag, "--signpost": flag,
		"--no-signpost": flag, "--mach-continuous-time": flag,
	}}
}

func streamsLog() logVerb {
	return logVerb{"stream", "usage: log stream [options]\n   or: log stream [options] --process <pid> | <process>", map[string]option{
		"--style": valued, "--predicate": valued, "--level": valued, "--process": valued, "--type": valued, "--timeout": valued,
		"--color": valued, "--user": valued, "--source": flag, "--backtrace": flag, "--no-backtrace": flag, "--mach-continuous-time": flag,
		"--unreliable": flag, "--ignore-dropped": flag,
	}}
}

// check refuses unknown options in the words of getopt, which Apple's tool uses.
func (v logVerb) check(c *call) error {
	for i := 0; i < len(c.Args); i++ {
		name, _, joined := strings.Cut(c.Args[i], "=")
		if !strings.HasPrefix(name, "-") {
			return c.logUsage("log: Unknown argument '" + name + "'\n" + v.usage)
		}
		kind, known := v.options[name]
		switch {
		case !known:
			return c.logUsage("log: unrecognized option `" + name + "'\n" + v.usage)
		case kind == flag && joined:
			return c.logUsage("log: option `" + name + "' doesn't allow an argument\n" + v.usage)
		case kind == valued && !joined:
			if i++; i == len(c.Args) {
				return c.logUsage("log: option `" + name + "' requires an argument\n" + v.usage)
			}
		}
	}
	return nil
}

// logReader selects the entries of a log and their style.
type logReader struct {
	predicate   predicate
	levels      []world.Level
	style       logStyle
	device      world.Device
	text        string // of the predicate
	first, last time.Time
	timeout     time.Duration // of a stream; zero means no limit
	skips       bool          // info and debug are excluded

	ignoresDropped bool // a stream does not report dropped entries
}

func (c *call) logReader(d world.Device, v logVerb) (r logReader, err error) {
	if err := v.check(c); err != nil {
		return r, err
	}
	given, err := c.options(v.options)
	if err != nil {
		return r, c.logUsage(v.usage)
	}
	has := func(name string) bool { _, ok := given[name]; return ok }
	r = logReader{device: d, text: given["--predicate"], predicate: anyEntry, levels: levelsFrom(given["--level"], has("--info"),
		has("--debug"))}
	if r.levels == nil {
		return r, c.logUsage("log: Invalid level '" + given["--level"] + "'")
	}
	r.skips, r.ignoresDropped = !has("--info") && !has("--debug"), has("--ignore-dropped")
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

// ofProcess selects a process by name or pid.
func (r *logReader) ofProcess(name string) {
	inner := r.predicate
	if name != "" {
		r.predicate = func(e entry) bool { return (e.Process == name || strconv.Itoa(e.PID) == name) && inner(e) }
	}
}

// levelsFrom are the shown levels: info and debug only on request. It is nil for an unknown level.
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

// span parses a duration such as 5m.
func span(text string) (time.Duration, bool) {
	units := map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour}
	n, err := strconv.Atoi(text[:len(text)-1])
	unit := units[text[len(text)-1:]]
	return time.Duration(n) * unit, err == nil && unit != 0
}

func parseTime(text string) (t time.Time, err error) {
	if unix, is := strings.CutPrefix(text, "@"); is {
		seconds, err := strconv.ParseInt(unix, 10, 64)
		return time.Unix(seconds, 0), err
	}
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

package simctl

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"ios-agent/internal/machine/host"
	"ios-agent/internal/text/lazyregexp"
)

// childPrefix is the prefix of variables that simctl passes on to the launched app.
const childPrefix = "SIMCTL_CHILD_"

// streaming is a command that runs until it is interrupted.
func (t Tool) streaming(env []string, args ...string) host.Cmd {
	name := t.Xcrun
	if name == "" {
		name = "xcrun"
	}
	return host.Cmd{Name: name, Args: append([]string{"simctl"}, args...), Env: append(slices.Clone(t.Env), env...)}
}

// Console is the command that launches an app, ends an instance before, and prints the app's output until it ends; interrupting the command
// ends the app.
func (t Tool) Console(udid, bundle string, o LaunchOptions) host.Cmd {
	var env []string
	for name, value := range o.Env {
		env = append(env, childPrefix+name+"="+value)
	}
	slices.Sort(env)
	return t.streaming(env, append([]string{"launch", "--console-pty", "--terminate-running-process", udid, bundle}, o.Args...)...)
}

// ConsolePID reads the first line of Console, "<bundle>: <pid>".
func ConsolePID(line, bundle string) (pid int, ok bool) {
	pid, err := launchedPID([]byte(line), bundle)
	return pid, err == nil
}

// LogOptions select the output of `log stream`.
type LogOptions struct {
	Level     string // default, info or debug; empty is debug
	Style     string // empty: the tool's default
	Predicate string // empty shows all
}

// LogStream is the command that shows a device's log from now on.
func (t Tool) LogStream(udid string, o LogOptions) host.Cmd {
	return t.streaming(nil, append([]string{"spawn", udid, "log"}, o.Stream()...)...)
}

// Stream are the arguments with which the program log follows new entries.
func (o LogOptions) Stream() []string {
	args := []string{"stream", "--level=" + cmp.Or(o.Level, "debug")}
	if o.Style != "" {
		args = append(args, "--style="+o.Style)
	}
	if o.Predicate != "" {
		args = append(args, "--predicate", o.Predicate)
	}
	return args
}

// LogShow is the command that prints a device's stored log since a time, the oldest first. It has no limit of lines, and prints one more
// second at the beginning. Apple's tool has no --level here: two flags replace it.
func (t Tool) LogShow(udid string, o LogOptions, since time.Time) host.Cmd {
	args := []string{"spawn", udid, "log", "show", "--start", fmt.Sprintf("@%d", since.Unix())}
	switch cmp.Or(o.Level, "debug") {
	case "debug":
		args = append(args, "--info", "--debug")
	case "info":
		args = append(args, "--info")
	}
	if o.Style != "" {
		args = append(args, "--style="+o.Style)
	}
	if o.Predicate != "" {
		args = append(args, "--predicate", o.Predicate)
	}
	return t.streaming(nil, args...)
}

// LogHeading reports whether a line is one of the headings of `log stream`.
func LogHeading(line string) bool {
	return strings.HasPrefix(line, "Filtering the log data using ") ||
		strings.HasPrefix(line, "Timestamp  ") && strings.Contains(line, "Activity")
}

var subsystem = lazyregexp.New(`^[A-Za-z0-9._-]+$`)

// FromSubsystems is the predicate for the entries of these subsystems; without names it is empty. It refuses a name that could end the
// quotes around it.
func FromSubsystems(names ...string) (string, error) {
	parts := make([]string, len(names))
	for i, name := range names {
		if !subsystem.MatchString(name) {
			return "", fmt.Errorf("%.80q is not a subsystem: use letters, digits, dots, hyphens and underscores", name)
		}
		parts[i] = `subsystem == "` + name + `"`
	}
	return strings.Join(parts, " OR "), nil
}

// FromProcess is the predicate for the entries of a process. Names of programs may have any character except line breaks: quotes and
// backslashes are escaped as NSPredicate reads them.
func FromProcess(name string) (string, error) {
	if name == "" || !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) {
		return "", fmt.Errorf("%.80q is not a valid process name", name)
	}
	return `process == "` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name) + `"`, nil
}

// AllEvents is the predicate for all log entries, without signposts and activities.
const AllEvents = "eventType == logEvent"

// Both is the conjunction of two predicates; an empty one matches everything.
func Both(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return "(" + a + ") AND (" + b + ")"
}

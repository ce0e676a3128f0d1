// Package strobe is what desktop programs are seen and driven by, under strobe's names and in its shapes: `mcp --tools desktop` serves
// it alone. Its rows are views: each translates an input and an output to and from the noun Desktop of package ops.
package strobe

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	contract "ios-agent/internal/desktop"
	"ios-agent/internal/desktop/process"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/outfile"
	"ios-agent/internal/op"
	desktopops "ios-agent/internal/ops/desktop"
	"ios-agent/internal/text/oneline"
	"ios-agent/internal/ui"
	"ios-agent/internal/ui/picture"
)

// Family is what strobe's names are called in the catalogue.
const Family = "desktop"

type views struct{ core *desktopops.Desktop }

// Ops are strobe's rows.
func Ops(core *desktopops.Desktop) []op.Op {
	v := views{core}
	attach := tool(debugAttach, "Work with a program that runs already, by its process, name or window", op.Executes,
		"app attach --pid 4711", "app attach mousepad", `app attach --window-title "Untitled 1"`)
	inputs := []string{"pid", "name", "windowTitle"}
	attach.Exclude, attach.Require = [][]string{inputs}, [][]string{inputs}
	act := tool(debugUIAction, "Click, type, set a value, press a key, scroll or drag, and see what it changed", 0,
		"app act SESSION click btn_a1b2", "app act SESSION set_value sld_1a2b --value 0.8", `app act SESSION type txt_9f3c --text "héllo"`,
		"app act SESSION key --key s --modifiers cmd", "app act SESSION scroll lst_77aa --direction down",
		"app act SESSION drag lbl_0001 --to-id lbl_0002")
	act.Timeout = 2 * time.Minute
	act.Describe = "Perform a UI action on a running process. Actions: click, set_value, type, key, scroll, drag. Uses accessibility " +
		"actions when available, falls back to synthesized input events. Returns before/after node state for verification."
	act.Help = "An action that cannot be done answers success: false and exits with 1: an id that is not there, an element without bounds,\n" +
		"a value that it does not take, a key that no keyboard has. On Linux cmd is the Control key. $SECRET:name types a secret by its name."
	return []op.Op{
		op.New(tool(debugLaunch, "Start a program and work with its windows", op.Executes,
			"app launch mousepad", "app launch --cwd build --env LANG=de_DE.UTF-8 -- ./app --verbose"), v.launch),
		op.New(attach, v.attach),
		op.New(tool(debugWindows, "List the windows of a session, or all of yours", op.ReadOnly|op.Idempotent,
			"app windows", "app windows SESSION"), v.windows),
		op.New(tool(debugSession, "Tell how a session's program is and what it printed, list the sessions, or stop one", 0,
			"app session SESSION", "app session list", "app session stop SESSION"), v.session),
		op.New(tool(debugUI, "See the windows of a session: a tree with an id for every element, or a picture", op.ReadOnly,
			"app ui SESSION", "app ui SESSION --role button --text save", "app ui SESSION --mode screenshot --id btn_a1b2"), v.look),
		op.New(act, v.perform),
	}
}

type launchIn struct {
	Command op.Argv  `json:"command" doc:"the program and its arguments" cli:"arg" private:"true"`
	Cwd     op.Path  `json:"cwd,omitempty" doc:"its working folder; yours if absent"`
	Env     []string `json:"env,omitempty" doc:"variables for it, as NAME=VALUE" pairs:"true" private:"true"`
}

// begunOut is a session that was made.
type begunOut struct {
	Session string `json:"sessionId"`
	PID     int    `json:"pid"`

	did string
}

// Text says so, and how its windows are seen and driven by the usual operations.
func (o begunOut) Text() string {
	return fmt.Sprintf("%s; its session is %s\nhint: `ios-agent snapshot --udid pid:%d` shows its windows; tap, fill and batch take the same "+
		"`--udid`. Or `ios-agent app ui %s`", oneline.Of(o.did), o.Session, o.PID, o.Session)
}

func (v views) launch(ctx context.Context, c *op.Call, in launchIn) (begunOut, error) {
	s, err := v.core.Launch(ctx, c, desktopops.DesktopLaunch{Argv: in.Command, Dir: string(in.Cwd), Env: in.Env})
	return begun("started", s, err)
}

func begun(did string, s *process.Session, err error) (begunOut, error) {
	if err != nil {
		return begunOut{}, err
	}
	return begunOut{s.ID, s.PID, fmt.Sprintf("%s %s (process %d)", did, ui.Inline(s.Program), s.PID)}, nil
}

type attachIn struct {
	PID   int    `json:"pid,omitempty" doc:"the process, one of your own" min:"2"`
	Name  string `json:"name,omitempty" doc:"the program's name, such as mousepad" cli:"arg"`
	Title string `json:"windowTitle,omitempty" doc:"the title of its window, or a part of it"`
}

func (v views) attach(ctx context.Context, c *op.Call, in attachIn) (begunOut, error) {
	s, err := v.core.Attach(ctx, c, desktopops.DesktopAttach{PID: in.PID, Name: in.Name, Title: in.Title})
	return begun("attached to", s, err)
}

type windowsIn struct {
	Session string `json:"sessionId,omitempty" doc:"only the windows of this session; all of yours if absent" cli:"arg"`
}

type windowsOut struct {
	Windows []contract.Window `json:"windows"`
}

// Text is a line a window.
func (o windowsOut) Text() string {
	if len(o.Windows) == 0 {
		return "no window"
	}
	var lines []string
	for _, w := range o.Windows {
		line := fmt.Sprintf("%s %s pid=%d app=%s bounds=%d,%d,%d,%d", ui.Inline(w.ID), ui.Quote(w.Title), w.PID, ui.Quote(w.App),
			int(w.Bounds.X), int(w.Bounds.Y), int(w.Bounds.W), int(w.Bounds.H))
		if w.Focused {
			line += " focused"
		}
		if w.Hidden {
			line += " minimized"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func (v views) windows(ctx context.Context, c *op.Call, in windowsIn) (windowsOut, error) {
	all, err := v.core.Windows(ctx, c, in.Session)
	if all == nil {
		all = []contract.Window{}
	}
	return windowsOut{all}, err
}

// The actions on a session.
const (
	status = "status"
	list   = "list"
	stop   = "stop"
)

type sessionIn struct {
	Action string `json:"action,omitempty" doc:"what to do" enum:"status,list,stop" default:"status" cli:"arg" match:"^(status|list|stop)$"`
	ID     string `json:"sessionId,omitempty" doc:"Session ID (from debug_launch); not for 'list'" cli:"arg"`

	Limit int          `json:"limit,omitempty" doc:"bytes of each stream" min:"1" max:"65536" default:"2048"`
	After string       `json:"after,omitempty" doc:"what was printed after this cursor of an earlier answer; the end if absent"`
	Out   op.Path      `json:"out,omitempty" doc:"write all that is kept, up to 64 KiB of each stream, to this file" dash:"stdout"`
	Force op.Overwrite `json:"force,omitempty" doc:"overwrite the file"`
}

// sessionOut is a session's program, or all sessions.
type sessionOut struct {
	sessionRow
	Sessions []sessionRow `json:"sessions,omitempty"`
	Path     string       `json:"file,omitempty"` // that was written

	action string
}

type sessionRow struct {
	ID       string `json:"sessionId,omitempty"`
	PID      int    `json:"pid,omitempty"`
	Program  string `json:"program,omitempty"`
	Attached bool   `json:"attached,omitempty"`
	Status   string `json:"status,omitempty"`   // running or exited
	Exit     *int   `json:"exitCode,omitempty"` // absent after a signal, and of a program that was attached to
	Signal   string `json:"signal,omitempty"`
	Stdout   string `json:"stdout,omitempty" lines:"quoted"` // the end of it, as strangers wrote it
	Stderr   string `json:"stderr,omitempty" lines:"quoted"`
	Lost     int64  `json:"bytesOmitted,omitempty"` // printed before what is shown
	More     int64  `json:"bytesMore,omitempty"`    // printed after what is shown
	Cursor   string `json:"cursor,omitempty"`       // read on after it
}

func rowOf(s process.Status) sessionRow {
	r := sessionRow{
		ID: s.ID, PID: s.PID, Program: s.Program, Attached: s.Attached, Status: "exited", Exit: s.Exit, Signal: s.Signal,
		Stdout: s.Stdout.Text, Stderr: s.Stderr.Text, Lost: s.Stdout.Lost + s.Stderr.Lost,
		More: s.Stdout.More + s.Stderr.More, Cursor: s.Cursor,
	}
	if s.Running {
		r.Status = "running"
	}
	return r
}

func (r sessionRow) line() string {
	how := "runs"
	switch {
	case r.Status == "running":
	case r.Signal != "":
		how = "was ended by " + r.Signal
	case r.Exit != nil:
		how = fmt.Sprintf("has ended with exit code %d", *r.Exit)
	default:
		how = "has ended"
	}
	if r.Attached {
		how += " (attached to)"
	}
	return fmt.Sprintf("%s: %s (process %d) %s", r.ID, ui.Inline(r.Program), r.PID, how)
}

// Text says how the program is, and the end of what it printed, quoted: it is data.
func (o sessionOut) Text() string {
	var lines []string
	if o.action == list {
		if len(o.Sessions) == 0 {
			return "no session"
		}
		for _, r := range o.Sessions {
			lines = append(lines, r.line())
		}
		return strings.Join(lines, "\n")
	}
	lines = append(lines, o.line())
	if o.action == stop && o.Attached {
		lines[0] += "; it was let go, and is left as it is"
	}
	if o.Lost > 0 {
		lines = append(lines, fmt.Sprintf("… %d bytes before; `ios-agent app session status %s --after 0.0` reads from the first that are kept, "+
			"`--out FILE` writes them all", o.Lost, o.ID))
	}
	said := append(printed("stdout", o.Stdout), printed("stderr", o.Stderr)...)
	lines = append(lines, fitting(said)...)
	if o.More > 0 {
		lines = append(lines, fmt.Sprintf("… %d bytes more: `ios-agent app session status %s --after %s`", o.More, o.ID, o.Cursor))
	}
	if o.Path != "" {
		lines = append(lines, "saved "+ui.Inline(o.Path))
	}
	return strings.Join(lines, "\n")
}

// mostPrinted is how many bytes of what a program printed a text shows: control characters take six each.
const mostPrinted = 12 << 10

// fitting are the last lines that fit.
func fitting(lines []string) []string {
	used := 0
	for i, line := range slices.Backward(lines) {
		if used += len(line) + 1; used > mostPrinted {
			return append([]string{fmt.Sprintf("… %d lines are too long for this text; `--out FILE` writes them", i+1)}, lines[i+1:]...)
		}
	}
	return lines
}

func printed(stream, text string) (lines []string) {
	for line := range strings.Lines(text) {
		lines = append(lines, stream+": "+ui.Quote(strings.TrimRight(line, "\n")))
	}
	return lines
}

func (v views) session(ctx context.Context, c *op.Call, in sessionIn) (out sessionOut, err error) {
	out.action = in.Action
	if in.Action != list && in.ID == "" {
		return out, fault.New(fault.InvalidInput, "sessionId is required for '%s'", in.Action).With("field", "sessionId").
			WithHint("`ios-agent app session list` lists the sessions")
	}
	var s process.Status
	switch in.Action {
	case list:
		for _, s := range v.core.Sessions(c) {
			one := rowOf(s)
			one.Stdout, one.Stderr, one.Lost, one.Cursor = "", "", 0, "" // status tells them
			out.Sessions = append(out.Sessions, one)
		}
		return out, nil
	case stop:
		s, err = v.core.Stop(ctx, c, in.ID)
	default:
		out.Path = string(in.Out)
		read := process.Reading{Limit: in.Limit, After: in.After}
		s, err = v.core.Status(c, in.ID, read, outfile.File{Path: out.Path, Force: bool(in.Force)})
	}
	out.sessionRow = rowOf(s)
	return out, err
}

type lookIn struct {
	Session string `json:"sessionId" doc:"Session ID (from debug_launch)" cli:"arg"`
	Mode    string `json:"mode,omitempty" doc:"what to see" enum:"tree,screenshot,both" default:"tree"`
	ID      string `json:"id,omitempty" doc:"crop the screenshot to this node"`
	Verbose bool   `json:"verbose,omitempty" doc:"the tree as JSON, with the elements that do not show"`
	Role    string `json:"role,omitempty" doc:"only elements of this role, such as AXButton or button"`
	Text    string `json:"text,omitempty" doc:"only elements whose title, value or identifier has this"`
	Depth   int    `json:"depth,omitempty" doc:"how deep to show; windows are 1" min:"1" max:"50"`
	Budget  int    `json:"budget,omitempty" doc:"tokens the tree may cost, about" min:"20" max:"200000" default:"6000" more:"true"`
}

// lookOut is what a session shows.
type lookOut struct {
	Tree    string      `json:"tree,omitempty" lines:"ours"`
	Stats   stats       `json:"stats"`
	Left    []string    `json:"leftOut,omitempty"` // what the tree does not have, and why
	Toolkit string      `json:"toolkit,omitempty"`
	Picture *pictureOut `json:"screenshot,omitempty"`

	images []op.Image
}

type stats struct {
	Nodes     int   `json:"axNodes"` // of the process
	Shown     int   `json:"shownNodes"`
	LatencyMS int64 `json:"latencyMs"`
}

type pictureOut struct {
	Path string `json:"path"`
	picture.Size
}

// Images is the picture.
func (o lookOut) Images() []op.Image { return o.images }

// Text is the tree, and what it lacks.
func (o lookOut) Text() string {
	var parts []string
	if o.Tree != "" {
		parts = append(parts, o.Tree)
	}
	for _, left := range o.Left {
		parts = append(parts, "… "+left)
	}
	if o.Picture != nil {
		parts = append(parts, fmt.Sprintf("saved %s (%s)", o.Picture.Path, o.Picture.Size.Text()))
	}
	return cmp.Or(strings.Join(parts, "\n"), "no element fits")
}

// bytesPerToken is about how much of a tree a token is.
const bytesPerToken = 4

func (v views) look(ctx context.Context, c *op.Call, in lookIn) (out lookOut, err error) {
	seen, err := v.core.Look(ctx, c, desktopops.Looking{
		Session: in.Session, Tree: in.Mode != "screenshot", Picture: in.Mode != "tree", ID: in.ID,
		Pick: contract.Pick{Role: in.Role, Text: in.Text, Depth: in.Depth, Verbose: in.Verbose, Bytes: in.Budget * bytesPerToken},
	})
	if err != nil {
		return out, err
	}
	out = lookOut{
		Tree: seen.Text, Left: seen.Left, Toolkit: seen.Toolkit, Stats: stats{seen.Total, seen.Nodes, seen.Took.Milliseconds()},
	}
	if p := seen.Picture; p != nil {
		out.Picture, out.images = &pictureOut{p.Path, p.Size}, []op.Image{p.Image()}
		if p.Copy.Width != p.Width {
			out.images[0].About = "copy in this answer: " + p.Copy.Text()
		}
	}
	return out, nil
}

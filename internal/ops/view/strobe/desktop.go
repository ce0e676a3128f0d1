// Package strobe offers the tools of strobe, which see and drive desktop programs, with strobe's names, inputs and answers: an MCP server
// can serve this set alone. Each tool is a view: it translates its input and its output to and from the operations of Desktop
// (internal/ops/desktop), and must not do anything else. Ops gives all tools.
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
	"ios-agent/internal/hint"
	"ios-agent/internal/machine/outfile"
	"ios-agent/internal/op"
	desktopops "ios-agent/internal/ops/desktop"
	"ios-agent/internal/text/oneline"
	"ios-agent/internal/ui"
	"ios-agent/internal/ui/picture"
)

// Family is the family of strobe's tools in the catalogue.
const Family = "desktop"

type views struct{ core *desktopops.Desktop }

// Ops are strobe's tools.
func Ops(core *desktopops.Desktop) []op.Op {
	v := views{core}
	attach := tool(debugAttach, "Attach to a running program by process, name or window", op.Executes,
		"app attach --pid 4711", "app attach mousepad", `app attach --window-title "Untitled 1"`)
	inputs := []string{"pid", "name", "windowTitle"}
	attach.Exclude, attach.Require = [][]string{inputs}, [][]string{inputs}
	act := tool(debugUIAction, "Act on an element and show what changed", 0,
		"app act SESSION click btn_a1b2", "app act SESSION set_value sld_1a2b --value 0.8", `app act SESSION type txt_9f3c --text "héllo"`,
		"app act SESSION key --key s --modifiers cmd", "app act SESSION scroll lst_77aa --direction down",
		"app act SESSION drag lbl_0001 --to-id lbl_0002")
	act.Timeout = 2 * time.Minute
	act.Describe = "Perform a UI action on a running process. Actions: click, set_value, type, key, scroll, drag. Uses accessibility " +
		"actions when available, falls back to synthesized input events. Returns before/after node state for verification."
	act.Help = "An impossible action answers success: false and exits with 1, such as for an unknown id, an element without bounds,\n" +
		"an invalid value or an unknown key. On Linux cmd is the Control key. $SECRET:name types a secret by its name."
	return []op.Op{
		op.New(tool(debugLaunch, "Start a desktop program in a new session", op.Executes,
			"app launch mousepad", "app launch --cwd build --env LANG=de_DE.UTF-8 -- ./app --verbose"), v.launch),
		op.New(attach, v.attach),
		op.New(tool(debugWindows, "List the windows of a session or of all your sessions", op.ReadOnly|op.Idempotent,
			"app windows", "app windows SESSION"), v.windows),
		op.New(tool(debugSession, "Show a session's state and output, list sessions, or stop one", 0,
			"app session SESSION", "app session list", "app session stop SESSION"), v.session),
		op.New(tool(debugUI, "Show a session's windows as a tree of elements or a screenshot", op.ReadOnly,
			"app ui SESSION", "app ui SESSION --role button --text save", "app ui SESSION --mode screenshot --id btn_a1b2"), v.look),
		op.New(act, v.perform),
	}
}

type launchIn struct {
	Command op.Argv  `json:"command" doc:"the program and its arguments" cli:"arg" private:"true"`
	Cwd     op.Path  `json:"cwd,omitempty" doc:"working folder (default: yours)"`
	Env     []string `json:"env,omitempty" doc:"environment, as NAME=VALUE" pairs:"true" private:"true"`
}

// begunOut is a new session.
type begunOut struct {
	Session string `json:"sessionId"`
	PID     int    `json:"pid"`

	did string
}

// Text names the session, and the calls that show its windows.
func (o begunOut) Text() string {
	snapshot := hint.Do("snapshot", "udid", fmt.Sprintf("pid:%d", o.PID))
	return fmt.Sprintf("%s; its session is %s\nhint: %s shows its windows, and tap, fill and batch accept the same %s; "+
		"%s shows the windows as a tree",
		oneline.Of(o.did), o.Session, snapshot, hint.Field("udid"), hint.Do(debugUI.FullName(), "sessionId", o.Session))
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
	PID   int    `json:"pid,omitempty" doc:"id of your own process" min:"2"`
	Name  string `json:"name,omitempty" doc:"program name, such as mousepad" cli:"arg"`
	Title string `json:"windowTitle,omitempty" doc:"window title or a part of it"`
}

func (v views) attach(ctx context.Context, c *op.Call, in attachIn) (begunOut, error) {
	s, err := v.core.Attach(ctx, c, desktopops.DesktopAttach{PID: in.PID, Name: in.Name, Title: in.Title})
	return begun("attached to", s, err)
}

type windowsIn struct {
	Session string `json:"sessionId,omitempty" doc:"session (default: all of yours)" cli:"arg"`
}

type windowsOut struct {
	Windows []contract.Window `json:"windows"`
}

// Text is one line per window.
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

	Limit int          `json:"limit,omitempty" doc:"maximum bytes of each stream" min:"1" max:"65536" default:"2048"`
	After string       `json:"after,omitempty" doc:"cursor of an earlier answer: show later output (default: the end)"`
	Out   op.Path      `json:"out,omitempty" doc:"file for all stored output, up to 64 KiB of each stream" dash:"stdout"`
	Force op.Overwrite `json:"force,omitempty" doc:"overwrite the file"`
}

// sessionOut is a session's program, or all sessions.
type sessionOut struct {
	sessionRow
	Sessions []sessionRow `json:"sessions,omitempty"`
	Path     string       `json:"file,omitempty"` // the written file

	action string
}

type sessionRow struct {
	ID       string `json:"sessionId,omitempty"`
	PID      int    `json:"pid,omitempty"`
	Program  string `json:"program,omitempty"`
	Attached bool   `json:"attached,omitempty"`
	Status   string `json:"status,omitempty"`   // running or exited
	Exit     *int   `json:"exitCode,omitempty"` // absent after a signal, and for an attached program
	Signal   string `json:"signal,omitempty"`
	Stdout   string `json:"stdout,omitempty" lines:"quoted"` // the end of the output: text of the program
	Stderr   string `json:"stderr,omitempty" lines:"quoted"`
	Lost     int64  `json:"bytesOmitted,omitempty"` // output before the shown part
	More     int64  `json:"bytesMore,omitempty"`    // output after the shown part
	Cursor   string `json:"cursor,omitempty"`       // position of the next read
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

// Text is the program's state and the end of its output, quoted because it is data.
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
		lines[0] += "; the session is detached, and the program keeps running"
	}
	if o.Lost > 0 {
		lines = append(lines, fmt.Sprintf("… %d bytes before; %s reads from the first stored byte, and %s writes all stored output to a file",
			o.Lost, o.from("0.0"), hint.Field("out")))
	}
	said := append(printed("stdout", o.Stdout), printed("stderr", o.Stderr)...)
	lines = append(lines, fitting(said)...)
	if o.More > 0 {
		lines = append(lines, fmt.Sprintf("… %d bytes more: %s", o.More, o.from(o.Cursor)))
	}
	if o.Path != "" {
		lines = append(lines, "saved "+ui.Inline(o.Path))
	}
	return strings.Join(lines, "\n")
}

// from is the fact of a call that reads on from a cursor.
func (r sessionRow) from(cursor string) string {
	return hint.Do(debugSession.FullName(), "action", status, "sessionId", r.ID, "after", cursor)
}

// mostPrinted is the maximum size in bytes of the output in a text: a control character takes six.
const mostPrinted = 12 << 10

// fitting are the last lines that fit into mostPrinted.
func fitting(lines []string) []string {
	used := 0
	for i, line := range slices.Backward(lines) {
		if used += len(line) + 1; used > mostPrinted {
			left := fmt.Sprintf("… %d lines are too long for this text; %s writes them to a file", i+1, hint.Field("out"))
			return append([]string{left}, lines[i+1:]...)
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
			WithHint("%s lists the sessions", hint.Do(debugSession.FullName(), "action", list))
	}
	var s process.Status
	switch in.Action {
	case list:
		for _, s := range v.core.Sessions(c) {
			one := rowOf(s)
			one.Stdout, one.Stderr, one.Lost, one.Cursor = "", "", 0, "" // status shows the output
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
	Mode    string `json:"mode,omitempty" doc:"what to show" enum:"tree,screenshot,both" default:"tree"`
	ID      string `json:"id,omitempty" doc:"crop the screenshot to this node"`
	Verbose bool   `json:"verbose,omitempty" doc:"the tree as JSON, with hidden elements"`
	Role    string `json:"role,omitempty" doc:"only elements of this role, such as AXButton or button"`
	Text    string `json:"text,omitempty" doc:"only elements whose title, value or identifier has this"`
	Depth   int    `json:"depth,omitempty" doc:"maximum depth; windows are 1" min:"1" max:"50"`
	Budget  int    `json:"budget,omitempty" doc:"approximate maximum of tokens" min:"20" max:"200000" default:"6000" more:"true"`
}

// lookOut is the tree or the screenshot of a session.
type lookOut struct {
	Tree    string      `json:"tree,omitempty" lines:"ours"`
	Stats   stats       `json:"stats"`
	Left    []string    `json:"leftOut,omitempty"` // parts that the tree lacks, with the reason
	Toolkit string      `json:"toolkit,omitempty"`
	Picture *pictureOut `json:"screenshot,omitempty"`

	images []op.Image
}

type stats struct {
	Nodes     int   `json:"axNodes"` // all elements of the process
	Shown     int   `json:"shownNodes"`
	LatencyMS int64 `json:"latencyMs"`
}

type pictureOut struct {
	Path string `json:"path"`
	picture.Size
}

// Images is the screenshot.
func (o lookOut) Images() []op.Image { return o.images }

// Text is the tree, and the parts that it lacks.
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
	return cmp.Or(strings.Join(parts, "\n"), "no matching element")
}

// bytesPerToken is the approximate size of a token of a tree.
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

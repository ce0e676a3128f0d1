// Package crashes offers the operations on crash reports: list and show them, copy them from a device, and set the program that runs for
// each new report. Crashes is its main type; package telemetry/crashes finds and reads the reports.
package crashes

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/machine/outfile"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/access"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/telemetry/crashes"
	"ios-agent/internal/text/brief"
	"ios-agent/internal/text/oneline"
	"ios-agent/internal/ui"
)

// Crashes shows crash reports. Reports of simulators and of this Mac appear as they are written, reports of a physical device after they
// are copied.
type Crashes struct {
	access   access.Access
	services Services
	now      func() time.Time
}

// New makes the operations on crash reports.
func New(access access.Access, services Services, now func() time.Time) *Crashes {
	return &Crashes{access, services, now}
}

// Services find and read reports.
type Services struct {
	Watch   *crashes.Watcher
	Hook    *crashes.Hook
	Symbols *crashes.Symbols // nil: the tools cannot find symbols
	Drop    string           // the folder for reports from people and devices
}

// Ops lists the operations on crash reports.
func (k *Crashes) Ops() []op.Op {
	spec := func(name, verb, route, summary string, hints op.Hints, examples ...string) op.Spec {
		return op.Spec{
			Name: name, Verb: strings.TrimSpace("crashes " + verb), Groups: []string{"logs"}, Route: route, Summary: summary, Hints: hints,
			Timeout: time.Minute, Examples: examples,
		}
	}
	reads := op.ReadOnly | op.Idempotent
	list := spec("list_crashes", "", "GET /api/v1/crashes", "List crash reports, grouped by cause", reads,
		"crashes", "crashes --app Shop --since 1h", "crashes --all")
	list.Next = []string{"show_crash"}
	list.Help = "It lists reports of the last 7 days, and all reports in the folder crashes of the ios-agent home. " +
		"A physical device keeps its own: " + hint.Do("pull_crashes") + " copies them."
	show := spec("show_crash", "show", "GET /api/v1/crashes/show", "Show one crash: its cause and its place in the code", reads,
		"crashes show latest", "crashes show 3f2a91c04d7e")
	pull := spec("pull_crashes", "pull", "POST /api/v1/crashes/pull", "Copy the newest crash reports of a physical device", reads,
		"crashes pull --udid 00008140-000A61C23E04801C")
	pull.Timeout = 5 * time.Minute
	set := spec("set_crash_hook", "set-hook", "POST /api/v1/crashes/hook", "Run a program for each new crash", op.Executes|op.Idempotent,
		"crashes set-hook -- /usr/local/bin/on-crash --quiet")
	set.Help = "The program gets the report as JSON on its standard input, and 60 seconds. The daemon runs it as it is, without a shell.\n" +
		"Four run at a time and a hundred more crashes wait; the log counts the crashes beyond that. No other user may be able to\n" +
		"change or replace the program; that is checked at each run."
	return []op.Op{
		op.New(list, k.List),
		op.New(show, k.Show),
		op.New(pull, k.Pull),
		op.New(spec("show_crash_hook", "hook", "GET /api/v1/crashes/hook", "Show the program that runs for each new crash", reads,
			"crashes hook"), k.ShowHook),
		op.New(set, k.SetHook),
		op.New(spec("remove_crash_hook", "remove-hook", "DELETE /api/v1/crashes/hook", "Stop running a program for crashes",
			op.Idempotent|op.Destructive, "crashes remove-hook"), k.RemoveHook),
	}
}

// CrashFilter selects reports.
type CrashFilter struct {
	App   string `json:"app,omitempty" doc:"only this app: its bundle id or process name"`
	UDID  string `json:"udid,omitempty" doc:"only this device"`
	Since string `json:"since,omitempty" doc:"start time: a duration ago (2h) or an RFC 3339 time" ago:"true"`
}

// query is the filter in the watcher's form.
func (k *Crashes) query(in CrashFilter, all bool) (crashes.Query, error) {
	since, err := op.TimeOf("since", in.Since, k.now)
	return crashes.Query{App: in.App, Device: in.UDID, Since: since, All: all}, err
}

// ListCrashesIn selects the reports to list.
type ListCrashesIn struct {
	CrashFilter
	All   bool `json:"all,omitempty" doc:"include hangs, Jetsam events and excessive resource use"`
	Limit int  `json:"limit,omitempty" doc:"maximum number of groups" default:"20" min:"1" max:"200" more:"true"`
}

// ListCrashesOut is the groups of reports, the newest first.
type ListCrashesOut struct {
	Groups []crashes.Group `json:"groups"`
	Total  int             `json:"total"`              // matching reports
	More   int             `json:"more,omitempty"`     // groups beyond the limit
	Others map[string]int  `json:"others,omitempty"`   // matching reports of other kinds
	Unread map[string]int  `json:"not_read,omitempty"` // files that are not reports of a process, by kind
}

// shownReason is the maximum number of bytes of a reason in a list.
const shownReason = 160

// Text has a line for each group, and one for its reason.
func (o ListCrashesOut) Text() string {
	w := brief.New(0)
	switch {
	case len(o.Groups) == 0:
		w.Line("no crashes")
	default:
		w.Linef("%s in %s", brief.CountOf(o.Total, "crash", "crashes"), brief.Count(len(o.Groups)+o.More, "group"))
	}
	w.ListOf("groups", len(o.Groups), len(o.Groups)+o.More, func(i int) []string {
		g := o.Groups[i]
		what := ""
		if g.Kind != "crash" {
			what = g.Kind + ": "
		}
		lines := []string{fmt.Sprintf("%s  %d×  %s  %s%s", g.Newest, g.Count, g.Last.Format(time.RFC3339), what, g.Title)}
		if g.Reason != "" {
			lines = append(lines, "  "+ui.QuoteWhole(brief.Clip(g.Reason, shownReason)))
		}
		return lines
	})
	if len(o.Others) > 0 {
		w.Linef("others: %s; %s lists them", crashes.Others(o.Others), hint.Do("list_crashes", "all", true))
	}
	if len(o.Unread) > 0 {
		w.Linef("not read: %s", crashes.Others(o.Unread))
	}
	return w.String()
}

// Find finds the matching reports, and counts the matching reports of other kinds.
func (k *Crashes) Find(ctx context.Context, q crashes.Query) ([]crashes.Crash, map[string]int, error) {
	found, others, err := k.services.Watch.Find(ctx, q)
	if err != nil || q.Device == "" || len(found)+len(others) > 0 {
		return found, others, err
	}
	return k.ofDevice(ctx, q)
}

// ofDevice returns a fault if the device of a query does not exist and has left no reports at all.
func (k *Crashes) ofDevice(ctx context.Context, q crashes.Query) ([]crashes.Crash, map[string]int, error) {
	all, others, err := k.services.Watch.Find(ctx, crashes.Query{Device: q.Device, All: true})
	if err != nil || len(all)+len(others) > 0 {
		return nil, nil, err
	}
	return nil, nil, k.access.There(ctx, q.Device)
}

// List lists reports.
func (k *Crashes) List(ctx context.Context, c *op.Call, in ListCrashesIn) (ListCrashesOut, error) {
	q, err := k.query(in.CrashFilter, in.All)
	if err != nil {
		return ListCrashesOut{}, err
	}
	found, others, err := k.Find(ctx, q)
	if err != nil {
		return ListCrashesOut{}, err
	}
	groups := crashes.Groups(found)
	n := min(len(groups), in.Limit)
	c.NothingNext = len(groups) == 0
	unread := k.services.Watch.Skipped()
	return ListCrashesOut{Groups: groups[:n], Total: len(found), More: len(groups) - n, Others: others, Unread: unread}, nil
}

// ShowCrashIn selects the report to show.
type ShowCrashIn struct {
	ID string `json:"crash_id,omitempty" doc:"its id, the id of its group, or latest" default:"latest" cli:"arg"`
	CrashFilter
}

// ShowCrashOut is a report, with the symbols that it lacks.
type ShowCrashOut struct {
	crashes.Crash
	Missing []string `json:"missing,omitempty"` // missing symbols, and how to add them
}

// shownStack is the maximum number of frames in a text.
const shownStack = 12

// Text is the cause, the place in the app and the stack.
func (o ShowCrashOut) Text() string {
	w := brief.New(0)
	w.Linef("%s %s of group %s, %s", o.Kind, o.ID, o.Group, o.Time.Format(time.RFC3339))
	pid := ""
	if o.PID > 0 {
		pid = fmt.Sprintf("pid %d", o.PID)
	}
	w.Line(brief.Join(", ", oneline.Head(brief.Join(" ", o.Process, o.Bundle, o.Version)), pid, o.UDID, o.OS, o.Model))
	w.Line(brief.Join(", ", oneline.Head(o.Ended()), o.Codes))
	if o.Reason != "" {
		w.Linef("reason: %s", ui.QuoteWhole(o.Reason))
	}
	if len(o.Frames) > 0 && o.Frames[0].Own {
		w.Line("in the app:")
		for _, f := range o.Frames {
			w.Linef("  %s", f)
		}
	}
	for _, m := range o.Missing {
		w.Linef("missing: %s", m)
	}
	w.Linef("report: %s", o.Path)
	if len(o.Stack) > 0 {
		w.Line("stack:")
	}
	w.ListOf("frames", min(len(o.Stack), shownStack), len(o.Stack), func(i int) []string {
		return []string{fmt.Sprintf("  %d %s", i, o.Stack[i])}
	})
	return w.String()
}

// Show shows a report, with source lines where symbols are available.
func (k *Crashes) Show(ctx context.Context, _ *op.Call, in ShowCrashIn) (ShowCrashOut, error) {
	q, err := k.query(in.CrashFilter, false)
	if err != nil {
		return ShowCrashOut{}, err
	}
	c, err := k.services.Watch.Get(ctx, in.ID, q)
	if err != nil {
		return ShowCrashOut{}, err
	}
	out := ShowCrashOut{Crash: c}
	if k.services.Symbols != nil {
		out.Missing = k.services.Symbols.Fill(ctx, &out.Crash)
	}
	return out, nil
}

// CrashHookOut is the program that runs for each new crash.
type CrashHookOut struct {
	Argv op.Argv `json:"argv"` // empty: no program is set
}

// Text is its command line.
func (o CrashHookOut) Text() string {
	if len(o.Argv) == 0 {
		return "no program runs for crashes; set one: " + hint.Do("set_crash_hook", "argv", []string{"PROGRAM"})
	}
	return "runs for each new crash, without a shell: " + strings.Join(o.Argv, " ")
}

// ShowHook shows the program.
func (k *Crashes) ShowHook(context.Context, *op.Call, op.Nothing) (CrashHookOut, error) {
	argv, err := k.services.Hook.Argv()
	return CrashHookOut{append([]string{}, argv...)}, err
}

// SetCrashHookIn is a program and its arguments.
type SetCrashHookIn struct {
	Argv op.Argv `json:"argv" doc:"program and arguments, run without a shell" cli:"arg"`
}

// SetHook sets the program.
func (k *Crashes) SetHook(ctx context.Context, c *op.Call, in SetCrashHookIn) (CrashHookOut, error) {
	if err := k.services.Hook.Set(in.Argv); err != nil {
		return CrashHookOut{}, err
	}
	return k.ShowHook(ctx, c, op.Nothing{})
}

// RemoveHook removes the program.
func (k *Crashes) RemoveHook(context.Context, *op.Call, op.Nothing) (CrashHookOut, error) {
	return CrashHookOut{[]string{}}, k.services.Hook.Remove()
}

// PullCrashesIn names the device.
type PullCrashesIn struct {
	target.Target
	Limit int `json:"limit,omitempty" doc:"maximum number, the newest first" default:"20" min:"1" max:"200" more:"true"`
}

// PullCrashesOut says what was copied.
type PullCrashesOut struct {
	UDID   string `json:"udid"`
	Copied int    `json:"copied"`
	Left   int    `json:"left,omitempty"` // reports beyond the limit, still on the device
	Path   string `json:"path"`           // the folder of the copies
}

// Text says how many.
func (o PullCrashesOut) Text() string {
	text := fmt.Sprintf("copied %s to %s", brief.Count(o.Copied, "report"), o.Path)
	if o.Left > 0 {
		text += fmt.Sprintf("; %d more are on the device: a higher %s copies more", o.Left, hint.Field("limit"))
	}
	return text
}

// Pull copies the reports of a device. It changes nothing on the device, so it needs no lease.
func (k *Crashes) Pull(ctx context.Context, c *op.Call, in PullCrashesIn) (PullCrashesOut, error) {
	h, _, err := k.access.Device(ctx, c, in.Target)
	if err != nil {
		return PullCrashesOut{}, err
	}
	info := h.Info()
	if info.Type == device.TypeSimulator {
		return PullCrashesOut{}, fault.New(fault.Unsupported, "%s is a simulator: this Mac has its crash reports already", info.Name).
			WithHint("list them: %s", hint.Do("list_crashes"))
	}
	copies, err := device.As[device.Reports](h.Device)
	if err != nil {
		return PullCrashesOut{}, err
	}
	out := PullCrashesOut{UDID: info.UDID, Path: filepath.Join(k.services.Drop, info.UDID)}
	if err := outfile.Folder(out.Path); err != nil {
		return PullCrashesOut{}, fault.During("the folder for crash reports", err)
	}
	if out.Copied, out.Left, err = copies.CopyReports(ctx, out.Path, in.Limit); err != nil {
		return PullCrashesOut{}, err
	}
	return out, k.services.Watch.Look(ctx)
}

package xcode

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/config"
	"ios-agent/internal/device/session/complete"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/debug"
	"ios-agent/internal/text/oneline"
	"ios-agent/internal/xcode/debugger"
)

// debugging are the tools of the debugger. debug_attach_process, debug_step, debug_pause and debug_wait are additions: XcodeBuildMCP
// lacks them, and its clients use debug_lldb_command.
func (v views) debugging() []op.Op {
	attach := taking(3*time.Minute, tool(debugAttachSim, "Attach the debugger to an app of a simulator", op.Executes, inDebugging),
		`debug-attach-sim --simulator-name "iPhone 16" --bundle-id com.iosagent.shop`)
	attach.Exclude = [][]string{{"bundleId", "pid"}, {"pid", "waitFor"}}
	attach = v.completed(attach, complete.Completion{
		Require: []config.Requirement{needsSimulator}, CallOnly: []string{platformKey},
		Adjust: func(given op.Input, s *config.Spec) {
			if _, named := given["pid"]; named { // pid excludes bundleId, so that the session's default must not fill it
				s.Keys = slices.DeleteFunc(s.Keys, func(key string) bool { return key == "bundleId" })
				return
			}
			s.Require = append(s.Require, config.Requirement{AllOf: []string{"bundleId"}, Message: "Provide bundleId or pid"})
		},
	})
	set := tool(debugBreakpointAdd, "Set a breakpoint at a line or a function", op.Executes|op.Idempotent, inDebugging)
	set.Exclude, set.Require = [][]string{{"file", "function"}, {"line", "function"}}, [][]string{{"file", "function"}}
	process := taking(2*time.Minute, tool(debugAttachProcess, "Attach the debugger to your own process on this machine", op.Executes,
		inDebugging), "debug-attach-process 4711")
	process.Exclude, process.Require = [][]string{{"pid", "sessionId"}}, [][]string{{"pid", "sessionId"}}
	minute := func(row op.Spec, summary string, hints op.Hints, examples ...string) op.Spec {
		return taking(time.Minute, tool(row, summary, hints, inDebugging), examples...)
	}
	return []op.Op{
		op.New(attach, v.attachSim),
		op.New(process, v.attachProcess),
		op.New(taking(time.Minute, set, "debug-breakpoint-add --file ContentView.swift --line 12"), v.addBreakpoint),
		op.New(minute(debugBreakpointRemove, "Remove a breakpoint", 0, "debug-breakpoint-remove 1"), v.removeBreakpoint),
		op.New(minute(debugContinue, "Continue the debugged program", op.Idempotent), v.debugContinue),
		op.New(minute(debugPause, "Pause the debugged program", op.Idempotent), v.debugPause),
		op.New(taking(6*time.Minute, tool(debugStep, "Step over a line, into a function or out of it", 0, inDebugging)), v.debugStep),
		op.New(taking(11*time.Minute, tool(debugWait, "Wait until the program pauses or ends", readOnly, inDebugging)), v.debugWait),
		op.New(minute(debugStack, "Show the stack of a thread of the paused program", readOnly), v.debugStack),
		op.New(minute(debugVariables, "Show the variables of a frame of the paused program", readOnly, "debug-variables"),
			v.debugVariables),
		op.New(taking(6*time.Minute, tool(debugLLDBCommand, "Run an lldb command and show its output",
			op.Executes|op.Destructive, inDebugging), `debug-lldb-command "bt all"`), v.debugCommand),
		op.New(minute(debugDetach, "Detach the debugger; the program keeps running", 0), v.debugDetach),
	}
}

type debugIn struct {
	Session string `json:"debugSessionId,omitempty" doc:"debugger session (default: the current one)"`
}

func (in debugIn) which() debug.DebuggerIn { return debug.DebuggerIn{Debugger: in.Session} }

// debugOut is the state of a debugger session after a call.
type debugOut struct {
	Message    string   `json:"message" lines:"ours"`
	Session    string   `json:"debugSessionId"`
	Process    int      `json:"processId"`
	Sim        string   `json:"simulatorId,omitempty"`
	Connection string   `json:"connectionState"`          // attached or detached
	Execution  string   `json:"executionState,omitempty"` // paused or running
	Reason     string   `json:"stopReason,omitempty"`
	Where      string   `json:"stoppedAt,omitempty"`
	NextSteps  []string `json:"nextSteps,omitempty"`
}

// Text is the message and what usually follows.
func (o debugOut) Text() string { return andNext(o.Message, o.NextSteps) }

func debugged(s debugger.Status, err error) (debugOut, error) {
	if err != nil {
		return debugOut{}, err
	}
	out := debugOut{Session: s.ID, Process: s.PID, Sim: s.UDID, Connection: "detached", Reason: s.Reason, Where: s.Where,
		Message: oneline.Draw(s, debugger.Status.Text)}
	if s.State == debugger.Running || s.State == debugger.Paused {
		out.Connection, out.Execution = "attached", s.State
	}
	if s.State == debugger.Paused {
		out.NextSteps = []string{
			nextCall(debugStack, "debugSessionId", s.ID), nextCall(debugVariables, "debugSessionId", s.ID),
			nextCall(debugContinue, "debugSessionId", s.ID),
		}
	}
	return out, nil
}

// attachHow are the inputs that both ways to attach share.
type attachHow struct {
	Continue bool `json:"continueOnAttach,omitempty" doc:"continue the program" default:"true"`
	Current  bool `json:"makeCurrent,omitempty" doc:"make it the current debugger session" default:"true"`
}

type attachSimIn struct {
	simIn
	Bundle string `json:"bundleId,omitempty" doc:"the app's bundle id; excludes pid"`
	PID    int    `json:"pid,omitempty" doc:"process of the app; excludes bundleId" min:"2"`
	Wait   bool   `json:"waitFor,omitempty" doc:"wait until the app is launched"`
	attachHow
}

func (v views) attachSim(ctx context.Context, c *op.Call, in attachSimIn) (debugOut, error) {
	on, err := v.core.Devices.Find(ctx, in.which())
	if err != nil {
		return debugOut{}, err
	}
	return v.attach(ctx, c, debug.DebugAttachIn{Target: on, Bundle: in.Bundle, PID: in.PID, Wait: in.Wait}, in.attachHow)
}

type attachProcessIn struct {
	PID     int    `json:"pid,omitempty" doc:"process id; excludes sessionId" min:"2" cli:"arg"`
	Session string `json:"sessionId,omitempty" doc:"desktop session of the process; excludes pid"`
	attachHow
}

func (v views) attachProcess(ctx context.Context, c *op.Call, in attachProcessIn) (out debugOut, err error) {
	if in.Session != "" {
		if in.PID, err = v.core.Desktop.PID(c, in.Session); err != nil {
			return out, err
		}
	}
	return v.attach(ctx, c, debug.DebugAttachIn{PID: in.PID}, in.attachHow)
}

func (v views) attach(ctx context.Context, c *op.Call, in debug.DebugAttachIn, how attachHow) (debugOut, error) {
	in.Stop, in.Keep = !how.Continue, !how.Current
	s, err := v.core.Debug.Attach(ctx, c, in)
	out, err := debugged(s.Status, err)
	if err != nil {
		return out, err
	}
	out.Message = fmt.Sprintf("attached to %s (process %d), which is %s\ndebug session: %s", oneline.Of(s.Program), s.PID, s.State, s.ID)
	if way := s.Way(); way != "" {
		out.Message += "\n" + way
	}
	out.NextSteps = []string{
		nextCall(debugBreakpointAdd, "debugSessionId", s.ID, "file", "ContentView.swift", "line", 12),
		nextCall(debugContinue, "debugSessionId", s.ID), nextCall(debugStack, "debugSessionId", s.ID),
	}
	return out, nil
}

type addBreakpointIn struct {
	debugIn
	File      string `json:"file,omitempty" doc:"name or path of the source file; with line"`
	Line      int    `json:"line,omitempty" doc:"line number" min:"1"`
	Function  string `json:"function,omitempty" doc:"name of a function; excludes file and line"`
	Condition string `json:"condition,omitempty" doc:"expression: stop only if it is true"`
}

// breakpointOut is a new or a removed breakpoint.
type breakpointOut struct {
	Message  string `json:"message"`
	ID       int    `json:"breakpointId"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Function string `json:"function,omitempty"`
	Verified bool   `json:"verified"`
}

// Text is the message.
func (o breakpointOut) Text() string { return o.Message }

func breakpoint(b debug.BreakpointOut, err error) (breakpointOut, error) {
	if err != nil {
		return breakpointOut{}, err
	}
	return breakpointOut{Message: b.Text(), ID: b.ID, File: b.File, Line: b.Line, Function: b.Function, Verified: b.Verified}, nil
}

func (v views) addBreakpoint(ctx context.Context, c *op.Call, in addBreakpointIn) (breakpointOut, error) {
	if in.File != "" && in.Line == 0 {
		return breakpointOut{}, fault.New(fault.InvalidInput, "file needs line").
			With("field", "line")
	}
	return breakpoint(v.core.Debug.SetBreakpoint(ctx, c, in.which(), debugger.Breakpoint{
		File: in.File, Line: in.Line, Function: in.Function, Condition: in.Condition,
	}))
}

type removeBreakpointIn struct {
	debugIn
	ID int `json:"breakpointId" doc:"breakpoint id" cli:"arg"`
}

func (v views) removeBreakpoint(ctx context.Context, c *op.Call, in removeBreakpointIn) (breakpointOut, error) {
	return breakpoint(v.core.Debug.Unbreak(ctx, c, debug.UnbreakIn{DebuggerIn: in.which(), Breakpoint: in.ID}))
}

func (v views) debugContinue(ctx context.Context, c *op.Call, in debugIn) (debugOut, error) {
	return debugged(v.core.Debug.Continue(ctx, c, in.which()))
}

func (v views) debugPause(ctx context.Context, c *op.Call, in debugIn) (debugOut, error) {
	return debugged(v.core.Debug.Pause(ctx, c, in.which()))
}

type debugStepIn struct {
	debugIn
	How     string `json:"how,omitempty" doc:"over or into a call, or out of the function" enum:"over,into,out" default:"over" cli:"arg"`
	Timeout int    `json:"timeoutMs,omitempty" doc:"time limit of the step" min:"1" max:"300000" default:"30000" unit:"ms"`
}

func (v views) debugStep(ctx context.Context, c *op.Call, in debugStepIn) (debugOut, error) {
	return debugged(v.core.Debug.Step(ctx, c, debug.StepIn{DebuggerIn: in.which(), How: in.How, Timeout: in.Timeout}))
}

type debugWaitIn struct {
	debugIn
	Timeout int `json:"timeoutMs,omitempty" doc:"time limit" min:"1" max:"600000" default:"30000" unit:"ms"`
}

func (v views) debugWait(ctx context.Context, c *op.Call, in debugWaitIn) (debugOut, error) {
	return debugged(v.core.Debug.Wait(ctx, c, debug.DebugWaitIn{DebuggerIn: in.which(), Timeout: in.Timeout}))
}

type debugStackIn struct {
	debugIn
	Thread int `json:"threadIndex,omitempty" doc:"thread number, from 1 (default: the stopped thread)" min:"1"`
	Frames int `json:"maxFrames,omitempty" doc:"maximum number of innermost frames" min:"1" max:"1000" default:"20" more:"true"`
}

// debugStackOut is the stack of a thread.
type debugStackOut struct {
	Threads []debugThread `json:"threads"`

	text string `lines:"ours"`
}

type debugThread struct {
	ID        int          `json:"threadId"`
	Name      string       `json:"name"`
	Truncated bool         `json:"truncated"`
	Frames    []debugFrame `json:"frames"`
}

type debugFrame struct {
	Index    int    `json:"index"`
	Symbol   string `json:"symbol"`
	Location string `json:"displayLocation"`
}

// Text is the stack.
func (o debugStackOut) Text() string { return o.text }

func (v views) debugStack(ctx context.Context, c *op.Call, in debugStackIn) (debugStackOut, error) {
	s, err := v.core.Debug.Stack(ctx, c, debug.StackIn{DebuggerIn: in.which(), Thread: in.Thread, Frames: in.Frames})
	if err != nil {
		return debugStackOut{}, err
	}
	t := debugThread{ID: s.ID, Name: s.Name, Truncated: s.Total > len(s.Frames), Frames: []debugFrame{}}
	for _, f := range s.Frames {
		t.Frames = append(t.Frames, debugFrame{f.Index, f.Symbol, f.At()})
	}
	return debugStackOut{[]debugThread{t}, oneline.Draw(s, debug.StackOut.Text)}, nil
}

type debugVariablesIn struct {
	debugIn
	Frame     int  `json:"frameIndex,omitempty" doc:"frame number, from the stack" min:"0" max:"100000"`
	Registers bool `json:"registers,omitempty" doc:"also show registers" more:"true"`
}

// debugVariablesOut are the variables by scope: locals, globals, and on request registers.
type debugVariablesOut struct {
	Scopes map[string][]debugger.Variable `json:"scopes"`

	text string `lines:"ours"`
}

// Text is one line per variable.
func (o debugVariablesOut) Text() string { return o.text }

func (v views) debugVariables(ctx context.Context, c *op.Call, in debugVariablesIn) (debugVariablesOut, error) {
	all, err := v.core.Debug.Variables(ctx, c, debug.VariablesIn{DebuggerIn: in.which(), Frame: in.Frame, Registers: in.Registers})
	if err != nil {
		return debugVariablesOut{}, err
	}
	out := debugVariablesOut{Scopes: map[string][]debugger.Variable{}}
	for _, s := range all.Scopes {
		out.Scopes[s.Name] = s.Variables
	}
	out.text = oneline.Draw(all, debug.VariablesOut.Text)
	return out, nil
}

type debugCommandIn struct {
	debugIn
	Command op.Code `json:"command" doc:"command, as at lldb's prompt" cli:"arg"`
	Timeout int     `json:"timeoutMs,omitempty" doc:"time limit" min:"1" max:"300000" default:"30000" unit:"ms"`
}

// debugCommandOut is the output of an lldb command.
type debugCommandOut struct {
	Command string   `json:"command"`
	Lines   []string `json:"outputLines"`
	Left    int      `json:"bytesLeftOut,omitempty"`

	text string `lines:"ours"`
}

// Text is the output.
func (o debugCommandOut) Text() string { return o.text }

func (v views) debugCommand(ctx context.Context, c *op.Call, in debugCommandIn) (debugCommandOut, error) {
	done, err := v.core.Debug.Command(ctx, c, debug.CommandIn{DebuggerIn: in.which(), Command: in.Command, Timeout: in.Timeout})
	if err != nil {
		return debugCommandOut{}, err
	}
	return debugCommandOut{string(in.Command), strings.Split(strings.TrimRight(done.Output, "\n"), "\n"), done.Left, done.Text()}, nil
}

func (v views) debugDetach(ctx context.Context, c *op.Call, in debugIn) (debugOut, error) {
	left, err := v.core.Debug.Detach(ctx, c, in.which())
	out, err := debugged(left.Status, err)
	if err == nil {
		out.Message = oneline.Draw(left, debugger.Detached.Text)
	}
	return out, err
}

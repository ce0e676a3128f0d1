package debuggee

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/google/go-dap"

	"ios-agent/internal/machine/host"
)

// Adapter plays lldb-dap for a program that stops at main.c:12 on request, and records its requests. Package xcode/debugger tests the
// real adapter.
type Adapter struct {
	Numbered bool              // breakpoints get numbers, as newer ones give them; a function without a place is not verified
	Prints   string            // by every command of lldb
	Refuses  map[string]string // why a request fails, by its command
	Ends     bool              // the program, with the exit code 7, when it is to run on

	mu    sync.Mutex
	asked []string
}

// Asked are the requests since the last question: a command and its arguments each.
func (a *Adapter) Asked() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	asked := a.asked
	a.asked = nil
	return asked
}

// Main is the program.
func (a *Adapter) Main(_ context.Context, in host.Invocation) int {
	say := func(v any) {
		raw, _ := json.Marshal(v)
		_ = dap.WriteBaseMessage(in.Stdout, raw)
	}
	event := func(name string, body any) { say(map[string]any{"type": "event", "event": name, "body": body}) }
	for requests := bufio.NewReader(in.Stdin); ; {
		raw, err := dap.ReadBaseMessage(requests)
		if err != nil {
			return 0
		}
		var r struct {
			dap.Request
			Arguments json.RawMessage `json:"arguments"`
		}
		_ = json.Unmarshal(raw, &r)
		a.note(r.Command, r.Arguments)
		why, refused := a.Refuses[r.Command]
		say(map[string]any{
			"type": "response", "request_seq": r.Seq, "success": !refused, "message": why, "command": r.Command,
			"body": a.answer(r.Command, r.Arguments),
		})
		switch {
		case refused:
		case r.Command == "attach":
			event("initialized", nil)
		case r.Command == "continue" && a.Ends:
			event("exited", dap.ExitedEventBody{ExitCode: 7})
			event("terminated", nil)
		case slices.Contains([]string{"configurationDone", "pause", "next", "stepIn", "stepOut"}, r.Command):
			event("stopped", dap.StoppedEventBody{Reason: "breakpoint", ThreadId: 7, HitBreakpointIds: []int{1}})
		}
	}
}

func (a *Adapter) note(command string, arguments json.RawMessage) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked = append(a.asked, strings.TrimSpace(command+" "+string(arguments)))
}

func (a *Adapter) answer(command string, arguments json.RawMessage) any {
	switch command {
	case "threads":
		return dap.ThreadsResponseBody{Threads: []dap.Thread{{Id: 7, Name: "main"}, {Id: 8, Name: "worker"}}}
	case "stackTrace":
		return stackOf(arguments)
	case "scopes":
		return dap.ScopesResponseBody{Scopes: []dap.Scope{{Name: "Locals", VariablesReference: 1}, {Name: "Registers", VariablesReference: 3}}}
	case "variables":
		return variablesOf(arguments)
	case "evaluate":
		return dap.EvaluateResponseBody{Result: a.Prints}
	case "setBreakpoints", "setFunctionBreakpoints":
		return a.placed(arguments)
	}
	return nil
}

// stackOf is a stack of two frames, of which only the first has a source.
func stackOf(arguments json.RawMessage) (body dap.StackTraceResponseBody) {
	var want dap.StackTraceArguments
	_ = json.Unmarshal(arguments, &want)
	all := []dap.StackFrame{{Id: 1, Name: "main", Line: 12, Source: &dap.Source{Path: "/src/main.c"}}, {Id: 2, Name: "start"}}
	body.TotalFrames = len(all)
	if want.StartFrame < len(all) {
		body.StackFrames = all[want.StartFrame:min(len(all), want.StartFrame+want.Levels)]
	}
	return body
}

// variablesOf are 101 locals, of which the first has two parts, and a register.
func variablesOf(arguments json.RawMessage) (body dap.VariablesResponseBody) {
	var want dap.VariablesArguments
	_ = json.Unmarshal(arguments, &want)
	switch want.VariablesReference {
	case 1:
		body.Variables = []dap.Variable{{Name: "p", Type: "point", Value: "{...}\n{...}", VariablesReference: 2}}
		for i := range 100 {
			body.Variables = append(body.Variables, dap.Variable{Name: fmt.Sprint("v", i), Type: "int", Value: fmt.Sprint(i)})
		}
	case 2:
		body.Variables = []dap.Variable{{Name: "x", Type: "int", Value: "1"}, {Name: "y", Type: "int", Value: "2"}}
	case 3:
		body.Variables = []dap.Variable{{Name: "pc", Type: "long", Value: "0x10"}}
	}
	return body
}

// placed gives each breakpoint a place.
func (a *Adapter) placed(arguments json.RawMessage) (body dap.SetBreakpointsResponseBody) {
	var want struct {
		Breakpoints []struct {
			Name string
			Line int
		}
	}
	_ = json.Unmarshal(arguments, &want)
	for _, b := range want.Breakpoints {
		one := dap.Breakpoint{Verified: true}
		if a.Numbered {
			one.Id, one.Verified = 100*len(b.Name)+b.Line, b.Name != "nowhere"
		}
		body.Breakpoints = append(body.Breakpoints, one)
	}
	return body
}

package debugger_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/xcode/debugger"
	"ios-agent/test/debuggee"
)

// TestSwiftProgramIsDebugged: a breakpoint at a line of a Swift file, a stack with Swift's names, variables of Swift's types, and a step,
// by both ways.
func TestSwiftProgramIsDebugged(t *testing.T) {
	for _, through := range []string{debugger.DAP, debugger.Prompt} {
		t.Run(through, func(t *testing.T) {
			p := debuggee.StartSwift(t)
			s, _ := service(t, debugger.Options{})
			d := attach(t, s, by(mine(p), through))
			b, err := d.Break(t.Context(), debugger.Breakpoint{File: "count.swift", Line: 8})
			if err != nil || !b.Verified {
				t.Fatalf("%+v, %v", b, err)
			}
			state, err := d.Wait(t.Context(), time.Minute)
			if err != nil || !strings.HasPrefix(state.Where, "count.swift:8 in ") || !strings.Contains(state.Where, "add(") {
				t.Fatalf("%s, %v", state.Text(), err)
			}
			stack, err := d.Stack(t.Context(), 0, 2)
			if err != nil || len(stack.Frames) != 2 || stack.Frames[1].Symbol != "main" || stack.Frames[1].Line != 16 {
				t.Fatalf("%+v, %v", stack, err)
			}
			_, scopes, err := d.Variables(t.Context(), 0, false)
			if err != nil || len(scopes) == 0 {
				t.Fatalf("%+v, %v", scopes, err)
			}
			t.Logf("%+v", scopes[0])
			n := variable(t, scopes[0], "n")
			item := variable(t, scopes[0], "item")
			if _, err := strconv.Atoi(n.Value.Value); err != nil || !strings.Contains(n.Type, "Int") || !strings.Contains(item.Type, "Item") {
				t.Errorf("%+v, %+v", n, item)
			}
			if len(item.Parts) != 2 || !strings.Contains(item.Parts[0].Value, `"thing `+n.Value.Value+`"`) || item.Parts[1].Value != "2.5" {
				t.Errorf("%+v", item)
			}
			state, err = d.Step(t.Context(), debugger.StepOver, time.Minute)
			if err != nil || !strings.HasPrefix(state.Where, "count.swift:9 in ") {
				t.Errorf("%s, %v", state.Text(), err)
			}
			if out := s.Detach(t.Context(), d); out.Killed {
				t.Errorf("%+v", out)
			}
			p.MustCount()
		})
	}
}

func variable(t *testing.T, s debugger.Scope, name string) debugger.Variable {
	t.Helper()
	i := slices.IndexFunc(s.Variables, func(v debugger.Variable) bool { return v.Name == name })
	if i < 0 {
		t.Fatalf("there is no %s in %+v", name, s)
	}
	return s.Variables[i]
}

package debugger

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/google/go-dap"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
)

// mostBreakpoints is the maximum number of breakpoints of a debugger.
const mostBreakpoints = 200

// Breakpoint is a place at which the program stops: a line of a file, or a function.
type Breakpoint struct {
	ID        int    `json:"breakpoint"`
	File      string `json:"file,omitempty"`
	Line      int    `json:"line,omitempty"`
	Function  string `json:"function,omitempty"`
	Condition string `json:"condition,omitempty"`    // an expression: the program stops only if it is true
	Skip      int    `json:"ignore_count,omitempty"` // number of hits before the first stop
	Log       string `json:"log,omitempty"`          // text of a logpoint, which records it and does not stop the program
	Hits      int    `json:"hits,omitempty"`         // number of stops, or of recorded texts
	Verified  bool   `json:"verified"`               // the program has this place

	pc string // address of its code, in the adapter's notation; empty if unknown
}

// sifted reports whether sift must examine a halt at the breakpoint before it counts as a stop.
func (b *Breakpoint) sifted() bool { return b.Condition != "" || b.Log != "" }

// At is the place.
func (b Breakpoint) At() string {
	if b.Function != "" {
		return b.Function
	}
	return fmt.Sprintf("%s:%d", b.File, b.Line)
}

// Break sets a breakpoint, or changes the one at this place. It halts a running program for a moment to set a condition or an ignore
// count: LLDB sets the place first, and would stop there before it knows them. It refuses a condition that does not compile.
func (d *Debugger) Break(ctx context.Context, b Breakpoint) (Breakpoint, error) {
	var set Breakpoint
	err := d.inTurn(ctx, func() error {
		if err := d.lives(); err != nil {
			return err
		}
		if b.Condition == "" && b.Skip == 0 {
			return d.place(ctx, b, &set)
		}
		return d.held(ctx, func(thread int) error {
			before := slices.Clone(d.points)
			if err := d.place(ctx, b, &set); err != nil || thread == 0 {
				return err
			}
			invalid := d.vet(ctx, thread, set)
			if invalid != nil {
				d.points = before
				_ = d.send(ctx, b) // the fault names the reason
			}
			return invalid
		})
	})
	return set, err
}

// place adds a breakpoint, or changes the one at its place. The caller has the turn.
func (d *Debugger) place(ctx context.Context, b Breakpoint, set *Breakpoint) error {
	before := slices.Clone(d.points)
	at := slices.IndexFunc(d.points, func(p *Breakpoint) bool { return p.At() == b.At() })
	switch {
	case at >= 0:
		b.ID = d.points[at].ID
		d.points[at] = &b
	case len(d.points) >= mostBreakpoints:
		return fault.New(fault.TooMany, "breakpoint limit reached (%d)", mostBreakpoints).
			WithHint("%s removes a breakpoint", hint.Do("debug_unbreak", "breakpoint", "ID"))
	default:
		at = len(d.points)
		d.points = append(d.points, &b)
	}
	if err := d.send(ctx, b); err != nil {
		d.points = before
		return err
	}
	*set = *d.points[at]
	return nil
}

// Unbreak removes a breakpoint.
func (d *Debugger) Unbreak(ctx context.Context, id int) (Breakpoint, error) {
	var gone Breakpoint
	err := d.inTurn(ctx, func() error {
		if err := d.lives(); err != nil {
			return err
		}
		before := slices.Clone(d.points)
		at := slices.IndexFunc(d.points, func(p *Breakpoint) bool { return p.ID == id })
		if at < 0 {
			return fault.New(fault.InvalidInput, "unknown breakpoint %d; this debugger has %s", id, ids(d.points)).With("field", "breakpoint")
		}
		gone = *d.points[at]
		d.points = slices.Delete(slices.Clone(d.points), at, at+1)
		if err := d.send(ctx, gone); err != nil {
			d.points = before
			return err
		}
		return nil
	})
	return gone, err
}

func ids(points []*Breakpoint) string {
	if len(points) == 0 {
		return "none"
	}
	var all []int
	for _, p := range points {
		all = append(all, p.ID)
	}
	return fmt.Sprint(all)
}

// Breakpoints are the debugger's breakpoints, also after the program has ended. It does not wait for running requests.
func (d *Debugger) Breakpoints() []Breakpoint {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := make([]Breakpoint, 0, len(d.set))
	for _, p := range d.set {
		p.Hits = d.hits[p.ID]
		all = append(all, p)
	}
	return all
}

// send sends all breakpoints of a file, or all of functions: the protocol cannot change a single one.
func (d *Debugger) send(ctx context.Context, like Breakpoint) error {
	defer d.publish()()
	var same []*Breakpoint
	lines, functions := []dap.SourceBreakpoint{}, []dap.FunctionBreakpoint{}
	for _, p := range d.points {
		switch {
		case (p.Function != "") != (like.Function != "") || p.File != like.File:
			continue
		case p.Function != "":
			functions = append(functions, dap.FunctionBreakpoint{Name: p.Function, Condition: p.Condition, HitCondition: p.hitCondition()})
		default:
			lines = append(lines, dap.SourceBreakpoint{Line: p.Line, Condition: p.Condition, HitCondition: p.hitCondition()})
		}
		same = append(same, p)
	}
	var body dap.SetBreakpointsResponseBody
	source := dap.Source{Path: like.File, Name: like.File}
	command, arguments := "setBreakpoints", any(dap.SetBreakpointsArguments{Source: source, Breakpoints: lines})
	if like.Function != "" {
		command, arguments = "setFunctionBreakpoints", dap.SetFunctionBreakpointsArguments{Breakpoints: functions}
	}
	if err := d.adapter.ask(ctx, command, arguments, &body); err != nil {
		return err
	}
	for i, p := range same {
		if i >= len(body.Breakpoints) {
			break
		}
		p.Verified, p.pc = body.Breakpoints[i].Verified, body.Breakpoints[i].InstructionReference
		switch {
		case body.Breakpoints[i].Id != 0:
			p.ID = body.Breakpoints[i].Id
		case p.ID == 0: // the adapter gave no number: a negative one cannot equal a number of the adapter
			d.unnamed--
			p.ID = d.unnamed
		}
	}
	return nil
}

// publish marks that breakpoints are being sent, and sent marks the end. A halt in between is judged after sent, because its breakpoint
// may have no number before.
func (d *Debugger) publish() (sent func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	setting := make(chan struct{})
	d.setting = setting
	d.sifts = d.sifts || slices.ContainsFunc(d.points, (*Breakpoint).sifted)
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.set, d.sifts = nil, false
		for _, p := range d.points {
			d.set = append(d.set, *p)
			d.sifts = d.sifts || p.sifted()
			if p.pc != "" {
				d.places[p.pc] = p.ID
			}
		}
		d.setting = nil
		d.recognize()
		close(setting)
	}
}

// hitCondition is the number of the hit at which the breakpoint stops, in the protocol's notation; empty for the first hit.
func (b *Breakpoint) hitCondition() string {
	if b.Skip == 0 {
		return ""
	}
	return strconv.Itoa(b.Skip + 1)
}

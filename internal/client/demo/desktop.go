package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/surface/wording"
	"ios-agent/internal/ui"
)

// Desktop is a walk through a desktop program of this machine: launch, see, type, click, with a picture before and after.
type Desktop struct {
	Caller  op.Caller
	Program string   // it must show a field or a check box
	Env     []string // further variables for it
	Out     io.Writer
	Voice   wording.Voice
}

// element is a part of a tree.
type element struct {
	ID       string
	Role     string
	Enabled  bool
	Bounds   *ui.Rect
	Children []element
}

// Run performs the walk, and ends the program at the end.
func (d Desktop) Run(ctx context.Context) error {
	fmt.Fprintf(d.Out, "\n# a real program\n")
	var begun struct {
		Session string `json:"sessionId"`
	}
	launch := map[string]any{"command": []string{d.Program}, "env": d.Env}
	if err := d.call(ctx, "debug_launch", "app launch "+d.Program, launch, &begun); err != nil {
		return err
	}
	of := func(more map[string]any) map[string]any { more["sessionId"] = begun.Session; return more }
	defer func() {
		stop := of(map[string]any{"action": "stop"})
		_ = d.call(context.WithoutCancel(ctx), "debug_session", "app session stop "+begun.Session, stop, nil) // it ends with the daemon too
	}()
	steps := []struct {
		say, shown string
		op         string
		input      map[string]any
	}{
		{"what a model sees: one line an element, an id for each", "app ui %s --depth 6 --budget 500", "debug_ui",
			of(map[string]any{"depth": 6, "budget": 500})},
		{"a picture before", "app ui %s --mode screenshot", "debug_ui", of(map[string]any{"mode": "screenshot"})},
	}
	for _, s := range steps {
		fmt.Fprintf(d.Out, "\n# %s\n", s.say)
		if err := d.call(ctx, s.op, fmt.Sprintf(s.shown, begun.Session), s.input, nil); err != nil {
			return err
		}
	}
	fmt.Fprintf(d.Out, "\n# act by ids; every step lists its changes\n")
	if err := d.drive(ctx, begun.Session); err != nil {
		return err
	}
	fmt.Fprintf(d.Out, "\n# and after\n")
	return d.call(ctx, "debug_ui", "app ui "+begun.Session+" --mode screenshot", of(map[string]any{"mode": "screenshot"}), nil)
}

// drive types into the first field and clicks the first check box.
func (d Desktop) drive(ctx context.Context, session string) error {
	const greeting = "Hello from ios-agent"
	done := 0
	for _, step := range []struct {
		roles  []string
		action string
		more   map[string]any
		shown  string
	}{
		{[]string{"AXTextField", "AXTextArea"}, "type", map[string]any{"text": greeting}, fmt.Sprintf(" --text %q", greeting)},
		{[]string{"AXCheckBox"}, "click", map[string]any{}, ""},
	} {
		id, err := d.find(ctx, session, step.roles)
		if err != nil {
			return err
		}
		if id == "" {
			continue
		}
		step.more["sessionId"], step.more["action"], step.more["id"] = session, step.action, id
		var out struct{ Outcome ui.Outcome }
		shown := fmt.Sprintf("app act %s %s %s%s", session, step.action, id, step.shown)
		if err := d.call(ctx, "debug_ui_action", shown, step.more, &out); err != nil {
			return err
		}
		if out.Outcome != ui.Changed {
			return fault.New(fault.OutcomeUnchanged, "a step of the demo was %s", out.Outcome)
		}
		done++
	}
	if done == 0 {
		return fault.New(fault.ElementNotFound, "%s shows neither a field nor a check box", d.Program)
	}
	return nil
}

// find returns the id of the first visible and enabled element of a role, or "".
func (d Desktop) find(ctx context.Context, session string, roles []string) (string, error) {
	raw, err := json.Marshal(map[string]any{"sessionId": session, "verbose": true, "budget": 200_000})
	if err != nil {
		return "", err
	}
	e := d.Caller.Call(ctx, "debug_ui", raw, nil)
	if e.Error != nil {
		return "", e.Error
	}
	var seen struct{ Tree string }
	var tree struct{ Nodes []element }
	if err := json.Unmarshal(e.Result, &seen); err != nil {
		return "", err
	}
	if err := json.Unmarshal([]byte(seen.Tree), &tree); err != nil {
		return "", err
	}
	return first(tree.Nodes, roles), nil
}

func first(all []element, roles []string) string {
	for _, e := range all {
		if slices.Contains(roles, e.Role) && e.Enabled && e.Bounds != nil && e.Bounds.W > 0 && e.Bounds.H > 0 && e.Bounds.X >= 0 {
			return e.ID
		}
		if id := first(e.Children, roles); id != "" {
			return id
		}
	}
	return ""
}

// call runs an operation, prints it and its answer, and decodes it.
func (d Desktop) call(ctx context.Context, name, shown string, input map[string]any, into any) error {
	raw, err := json.Marshal(input)
	if err != nil {
		return err
	}
	fmt.Fprintf(d.Out, "$ ios-agent %s\n", shown)
	e := d.Caller.Call(ctx, name, raw, nil)
	fmt.Fprintln(d.Out, d.Voice.Envelope(e, raw).Text())
	if e.Error != nil {
		return e.Error
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(e.Result, into)
}

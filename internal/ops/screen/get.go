package screen

import (
	"context"
	"fmt"
	"strings"

	"ios-agent/internal/op"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/ui"
)

func (s *Screen) getOps() []op.Op {
	return []op.Op{op.New(op.Spec{
		Name: "get_element", Verb: "get", Groups: []string{"ui"}, Route: "GET /api/v1/ui/element",
		Summary: "Show one element: full text, value, frame, attributes",
		Help: "Outlines cut texts after 80 characters; this shows them whole. The locator finds the element in another session, where its\n" +
			"ref is unknown; its matches count the matching elements of the screen.",
		Hints: op.ReadOnly | op.Idempotent, Require: [][]string{target.ElementKeys()}, Short: target.DesktopFlags("udid"),
		Examples: []string{"get @e39", "get --identifier terms --json"},
	}, s.get)}
}

type getIn struct {
	target.Target
	target.ElementIn
}

// getOut is an element as in a snapshot, its actions, and a locator that finds it without its ref.
type getOut struct {
	ui.Element
	Actions []ui.Action `json:"actions_available"`
	Locator ui.Locator  `json:"locator"`
}

// Text has a line for each attribute, with full texts.
func (o getOut) Text() string {
	lines := []string{o.Ref + " " + o.Role + " (" + strings.TrimPrefix(o.Type, "XCUIElementType") + ")"}
	say := func(name string, words ...string) {
		if text := strings.Join(words, ", "); text != "" {
			lines = append(lines, name+": "+text)
		}
	}
	quote := func(name, text string) {
		if text != "" {
			say(name, ui.QuoteWhole(text))
		}
	}
	quote("label", o.Label)
	if o.Value != nil {
		quote("value", *o.Value)
	}
	quote("identifier", o.Identifier)
	quote("placeholder", o.Placeholder)
	say("locator", o.Locator.String())
	say("frame", fmt.Sprintf("x=%.5g y=%.5g w=%.5g h=%.5g", o.Frame.X, o.Frame.Y, o.Frame.W, o.Frame.H))
	say("state", o.states()...)
	var can []string
	for _, a := range o.Actions {
		can = append(can, a.Name)
	}
	say("actions", can...)
	for _, name := range o.Element.Actions {
		quote("custom action", name)
	}
	return strings.Join(lines, "\n")
}

func (o getOut) states() (states []string) {
	for _, state := range []struct {
		holds bool
		name  string
	}{
		{!o.Enabled, "disabled"}, {o.Focused, "focused"}, {o.Selected, "selected"}, {o.Secure, "secure"}, {o.Hidden, "hidden"},
		{o.OutOfReach(), "a tap does not reach it"},
	} {
		if state.holds {
			states = append(states, state.name)
		}
	}
	return states
}

func (s *Screen) get(ctx context.Context, c *op.Call, in getIn) (out getOut, err error) {
	err = s.Look(ctx, c, in.Target, func(sc *ui.Screen, refs *ui.Refs, udid string) error {
		n, err := refs.Find(in.Query(), udid, sc)
		if err != nil {
			return err
		}
		one := sc.SnapshotOf([]*ui.Node{n}, udid, refs, s.d.Now())
		out = getOut{one.Elements[0], one.Actions, sc.Locate(n).Smallest()}
		return nil
	})
	return out, err
}

package agent

import (
	"context"
	"math"

	"ios-agent/internal/driver/agentwire"
	"ios-agent/internal/virtualxcode/world"
)

// act carries out an input if its target is unchanged, and then looks at the effect.
func (s *session) act(ctx context.Context, m *agentwire.Act) (agentwire.Response, error) {
	if s.conn.Version() == 1 {
		return nil, faultf(agentwire.CodeUnsupported, "version 1 has no flag for an input that was sent")
	}
	req, err := agentwire.UnmarshalRequest(m.Input)
	if err != nil {
		return nil, faultf(agentwire.CodeBadRequest, "the input: %v", err)
	}
	h := s.handlers[req.Opcode()]
	if !h.acts {
		return nil, faultf(agentwire.CodeBadRequest, "%s is not an input", req.Opcode())
	}
	o := lookOptions{wait: m.Wait, limits: lookLimits(m.Limits)}
	if m.App != "" {
		o.candidates = []string{m.App}
	}
	before, err := s.guard(ctx, m, o)
	if err != nil {
		return nil, err
	}
	if _, err := s.input(ctx, h, req); err != nil {
		return nil, err
	}
	if err := s.afterInput(); err != nil {
		return nil, err
	}
	if err := s.conn.WriteSent(s.id); err != nil {
		return nil, err
	}
	o.unlike = before.Digest
	seen, err := s.see(ctx, o)
	seen.Samples += before.Samples
	return &seen.Sight, err
}

// guard looks once, and refuses an input if its app is not in front or its element differs from what the client saw. It reads no tree
// for an input without an aim that does not wait for a change.
func (s *session) guard(ctx context.Context, m *agentwire.Act, o lookOptions) (before sight, err error) {
	if m.App != "" {
		front, err := s.front(ctx, o.candidates)
		if err != nil {
			return before, err
		}
		if front != m.App {
			return before, faultf(agentwire.CodeNotInFront, "%s", front)
		}
	}
	if m.Aim == nil && m.Wait.PatienceMS == 0 {
		return before, nil
	}
	o.wait = agentwire.Wait{}
	if before, err = s.settled(ctx, o); err != nil {
		return before, err
	}
	switch {
	case m.App != "" && before.Front != m.App:
		return before, faultf(agentwire.CodeNotInFront, "%s", before.Front)
	case m.Aim != nil:
		return before, before.check(m.Aim)
	}
	return before, nil
}

// check compares the aim of an input with the tree.
func (seen sight) check(aim *agentwire.Aim) error {
	at := seen.find(aim)
	if at == nil {
		return faultf(agentwire.CodeStale, "element %d with type %s, identifier %q and label %q is gone", aim.Rank, aim.Type,
			aim.Identifier, aim.Label)
	}
	frame := element(at.element()).Frame
	if want := (agentwire.Frame{X: aim.X, Y: aim.Y, Width: aim.Width, Height: aim.Height}); !near(frame, want) {
		return faultf(agentwire.CodeUnstable, "the %s is at %+v, not at %+v", aim.Type, frame, want)
	}
	if !at.reached(world.Point{X: aim.AtX, Y: aim.AtY}) {
		return faultf(agentwire.CodeNotHittable, "a finger at %v, %v does not reach the %s", aim.AtX, aim.AtY, aim.Type)
	}
	return nil
}

// find returns the path to the element of aim among the elements that the client can see, or nil.
func (seen sight) find(aim *agentwire.Aim) path {
	if len(seen.trees) == 0 {
		return nil
	}
	left := int(aim.Rank)
	match := func(e *world.Element) bool {
		if !seen.kept[e] || e.Type != aim.Type || e.Identifier != aim.Identifier || e.Label != aim.Label {
			return false
		}
		left--
		return left < 0
	}
	root := joined(seen.trees)
	if match(root) {
		return path{root}
	}
	return find(path{root}, match)
}

// near reports whether two frames differ by at most one point.
func near(a, b agentwire.Frame) bool {
	for _, d := range []float64{a.X - b.X, a.Y - b.Y, a.Width - b.Width, a.Height - b.Height} {
		if !(math.Abs(d) <= 1) {
			return false
		}
	}
	return true
}

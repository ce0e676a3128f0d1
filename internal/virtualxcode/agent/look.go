package agent

import (
	"context"
	"math"
	"time"

	"ios-agent/internal/agentwire"
	"ios-agent/internal/virtualxcode/world"
)

// snapshot is the target's tree as it is now.
func (s *session) snapshot(ctx context.Context) (*world.Element, world.AppState, error) {
	root, state, err := s.opts.Screen.Snapshot(ctx, s.opts.UDID, s.target)
	if err == nil && root == nil {
		err = faultf(agentwire.CodeAppNotRunning, "app %s is not running", s.target)
	}
	return root, state, err
}

// locate finds an element in a fresh snapshot.
func (s *session) locate(ctx context.Context, q query) (found, error) {
	root, state, err := s.snapshot(ctx)
	if err != nil {
		return found{}, err
	}
	at := q.find(root)
	if at == nil {
		return found{}, faultf(agentwire.CodeNotFound, "element %s not found", q)
	}
	return found{at, state == world.RunningForeground}, nil
}

// getValue is the element's value or, when it has none, its label.
func (s *session) getValue(ctx context.Context, m *agentwire.GetValue) (agentwire.Response, error) {
	value := &agentwire.Value{}
	err := s.poll(ctx, milliseconds(m.TimeoutMS), func() error {
		at, err := s.locate(ctx, lenientQuery(m.Selector, m.ByLabel, m.Type))
		if err != nil {
			return err
		}
		value.Text = text(at.element().Value, at.element().Label)
		return nil
	})
	return value, err
}

// text is the first that is not empty.
func text(choices ...string) *string {
	for _, c := range choices {
		if c != "" {
			return &c
		}
	}
	return nil
}

// findElement answers null where there is no such element, be it because the app is not running.
func (s *session) findElement(ctx context.Context, m *agentwire.FindElement) (agentwire.Response, error) {
	at, err := s.locate(ctx, lenientQuery(m.Selector, m.ByLabel, m.Type))
	if err != nil && !passing(err) {
		return nil, err
	}
	if err != nil {
		return encodeFound(nil, 0)
	}
	el, left := elementOf(at.element())
	el.Hittable = new(at.hittable())
	return encodeFound(el, left)
}

func encodeFound(el *agentwire.Element, truncated uint32) (agentwire.Response, error) {
	text, err := agentwire.EncodeElement(el)
	return &agentwire.Found{JSON: text, Truncated: truncated}, err
}

func (s *session) dumpTree(ctx context.Context, _ *agentwire.DumpTree) (agentwire.Response, error) {
	root, _, err := s.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	roots, left := treeOf(root, limits{})
	text, err := agentwire.EncodeElements(roots)
	return &agentwire.Tree{JSON: text, Truncated: left}, err
}

// observe lets the world wait. An app that is not running is an observation, not a failure.
func (s *session) observe(ctx context.Context, m *agentwire.Observe) (agentwire.Response, error) {
	o, err := s.opts.Screen.Observe(ctx, s.opts.UDID, s.target, world.Wait{Stable: ms(m.StableMS), Min: ms(m.MinMS), Max: ms(m.MaxMS)})
	if err != nil {
		return nil, err
	}
	roots, left := treeOf(o.Root, limits{depth: m.MaxDepth, nodes: m.MaxNodes})
	text, err := agentwire.EncodeElements(roots)
	return &agentwire.Observation{
		Settled: o.Settled, WaitedMS: clamp(o.Waited.Milliseconds()), Samples: clamp(int64(o.Samples)), Truncated: left,
		Bundle: o.Bundle, State: string(o.State), JSON: text,
	}, err
}

func ms(n uint32) time.Duration { return time.Duration(n) * time.Millisecond }

func clamp(n int64) uint32 { return uint32(min(max(n, 0), math.MaxUint32)) }

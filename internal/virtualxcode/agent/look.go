package agent

import (
	"context"
	"errors"
	"math"
	"time"

	"ios-agent/internal/driver/agentwire"
	"ios-agent/internal/virtualxcode/world"
)

// snapshot is the target's present tree, and the tree of an alert that SpringBoard shows over it, read at the same moment.
func (s *session) snapshot(ctx context.Context) ([]*world.Element, world.AppState, error) {
	target := s.aimedAt()
	o, err := s.watch(ctx, target, world.Wait{})
	if err == nil && o.Root == nil {
		err = faultf(agentwire.CodeAppNotRunning, "app %s is not running in front", target)
	}
	return roots(o.Observation), o.State, err
}

// watched is an observation with the number of elements omitted because the tree had too many parts.
type watched struct {
	world.Observation
	unread uint32
}

// watch looks at an app like the Swift agent: it does not read the tree of an app behind another, for which XCTest would wait long, and
// reads a tree with too many levels by parts.
func (s *session) watch(ctx context.Context, bundle string, w world.Wait) (watched, error) {
	w.OnlyFront = true
	o, err := s.opts.Screen.Observe(ctx, s.opts.UDID, bundle, w)
	seen := watched{Observation: o}
	if errors.Is(err, world.ErrTooDeep) {
		p := parts{levels: o.Levels, left: mostParts}
		seen.Root = p.tree(o.Root)
		seen.unread, err = p.unread, nil
	}
	return seen, err
}

// roots are the trees of an observation, the top one last.
func roots(o world.Observation) (all []*world.Element) {
	for _, root := range []*world.Element{o.Root, o.System} {
		if root != nil {
			all = append(all, root)
		}
	}
	return all
}

// locate finds an element in a fresh snapshot.
func (s *session) locate(ctx context.Context, q query) (found, error) {
	trees, state, err := s.snapshot(ctx)
	if err != nil {
		return found{}, err
	}
	at := q.find(joined(trees))
	if at == nil {
		return found{}, faultf(agentwire.CodeNotFound, "element %s not found", q)
	}
	return found{at, state == world.RunningForeground}, nil
}

// joined combines overlapping trees into one.
func joined(trees []*world.Element) *world.Element {
	if len(trees) == 1 {
		return trees[0]
	}
	return &world.Element{Type: "Application", Frame: trees[0].Frame, Children: trees}
}

// getValue returns the element's value or, if empty, its label.
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

// text returns the first non-empty text.
func text(choices ...string) *string {
	for _, c := range choices {
		if c != "" {
			return &c
		}
	}
	return nil
}

// findElement answers null if no element matches, also if the app does not run.
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
	trees, _, err := s.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	all, left := treeOf(trees, limits{})
	text, err := agentwire.EncodeElements(all)
	return &agentwire.Tree{JSON: text, Truncated: left}, err
}

func ms(n uint32) time.Duration { return time.Duration(n) * time.Millisecond }

func clamp(n int64) uint32 { return uint32(min(max(n, 0), math.MaxUint32)) }

package webdriver

import (
	"context"
	"encoding/json"
	"time"

	"ios-agent/internal/client/webdriver/page"
	"ios-agent/internal/fault"
)

// search is the content of a find command.
type search struct {
	how      page.Strategy
	using    string
	selector string
	from     string // an element's id; empty: the whole screen
}

// find reads the body and looks until an element matches or the session's implicit wait is over.
func (q *request) find(ctx context.Context) (w search, found []*page.Node, err error) {
	if err = q.take(map[string]any{"using": &w.using, "value": &w.selector}); err != nil {
		return w, nil, err
	}
	if w.how, err = page.By(w.using); err != nil {
		return w, nil, err
	}
	w.from = q.params["element"]
	found, err = q.look(ctx, w)
	return w, found, err
}

func (q *request) look(ctx context.Context, w search) ([]*page.Node, error) {
	q.session.mu.Lock()
	patience := q.session.implicit
	q.session.mu.Unlock()
	for end := q.Now().Add(patience); ; {
		t, err := q.session.look(ctx)
		if err != nil {
			return nil, err
		}
		var from *page.Node
		if w.from != "" {
			if from = t.ByID(w.from); from == nil {
				return nil, q.session.staleOr(ctx, w.from)
			}
		}
		found, err := w.how(ctx, t, w.selector, from)
		if err != nil || len(found) > 0 || !q.Now().Before(end) {
			return found, err
		}
		if err := q.Pause(ctx, lookAgain); err != nil {
			return nil, err
		}
	}
}

// lookAgain is the time between two looks of an implicit wait.
const lookAgain = 100 * time.Millisecond

func findElement(ctx context.Context, q *request) (any, error) {
	w, found, err := q.find(ctx)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, fail(noSuchElement, "no element has %s %q", w.using, w.selector).hinted("GET …/source shows what is on the screen")
	}
	return elementOf(found[0]), nil
}

func findElements(ctx context.Context, q *request) (any, error) {
	_, found, err := q.find(ctx)
	if err != nil {
		return nil, err
	}
	out := []any{}
	for _, n := range found {
		out = append(out, elementOf(n))
	}
	return out, nil
}

func activeElement(ctx context.Context, q *request) (any, error) {
	t, err := q.session.look(ctx)
	if err != nil {
		return nil, err
	}
	focused := t.All(nil, func(n *page.Node) bool { return n.Focused })
	if len(focused) == 0 {
		return nil, fail(noSuchElement, "no element has the focus")
	}
	return elementOf(focused[len(focused)-1]), nil // the innermost
}

// take decodes required members of the body.
func (q *request) take(into map[string]any) error {
	for name := range into {
		if _, given := q.body[name]; !given {
			return fail(invalidArgument, "the body has no %q", name)
		}
	}
	return q.may(into)
}

// may decodes optional members of the body.
func (q *request) may(into map[string]any) error {
	for name, to := range into {
		raw, given := q.body[name]
		if !given || string(raw) == "null" {
			continue
		}
		if err := json.Unmarshal(raw, to); err != nil {
			return fail(invalidArgument, "%q in the body: %v", name, fault.OfJSON(err))
		}
	}
	return nil
}

package webdriver

import (
	"context"
	"encoding/json"
	"strings"

	"ios-agent/internal/client/webdriver/page"
	"ios-agent/internal/ui"
)

// look reads the whole screen.
func (one *session) look(ctx context.Context) (*page.Page, error) {
	input := map[string]any{"all": true, "full": true}
	one.mu.Lock()
	var depth float64
	if json.Unmarshal(one.settings["snapshotMaxDepth"], &depth) == nil && depth >= 1 {
		input["max_depth"] = int(min(depth, 1000))
	}
	one.mu.Unlock()
	var shown ui.Snapshot
	if err := one.on(ctx, "snapshot", input, &shown); err != nil {
		return nil, err
	}
	return page.Of(shown), nil
}

// elementOf is an element in the protocol's form; the older name is for WebDriverAgent's clients.
func elementOf(n *page.Node) map[string]any {
	return map[string]any{"element-6066-11e4-a52e-4f735466cecf": n.ID(), "ELEMENT": n.ID()}
}

// source is the page source in one of WebDriverAgent's formats.
func source(ctx context.Context, q *request) (any, error) {
	t, err := q.session.look(ctx)
	if err != nil {
		return nil, err
	}
	return q.written(t, q.query.Get("format"), q.query.Get("scope"), strings.Split(q.query.Get("excluded_attributes"), ","))
}

func (q *request) written(t *page.Page, format, scope string, without []string) (any, error) {
	if scope != "" && !page.IsName(scope) {
		return nil, fail(invalidArgument, "scope is %q; it must be the name of an XML element", scope)
	}
	switch format {
	case "", "xml":
		if scope == "" && !q.session.agent {
			scope = "AppiumAUT" // as Appium answers
		}
		return t.XML(scope, without), nil
	case "json":
		if app := t.Front(); app != nil {
			return app.JSON(), nil
		}
		return nil, fail(unknownError, "the screen shows no app")
	case "description":
		return t.Description(), nil
	}
	return nil, fail(invalidArgument, "unknown source format %q", format).hinted("xml, json or description")
}
